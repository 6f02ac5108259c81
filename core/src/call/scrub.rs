//! Gate: no secret leaves in any text of a result.

use crate::scrub::Scrubber;
use crate::tool::ToolResult;

pub(super) fn pass(scrubber: &Scrubber, result: &mut ToolResult) {
    for text in [&mut result.for_user, &mut result.rule].into_iter().flatten() {
        clean(scrubber, text);
    }
    if let Some(structured) = &mut result.structured {
        scrubber.scrub_json(structured);
        // Data becomes text only now: JSON's escapes would hide a secret from the patterns.
        if result.for_llm.is_empty() {
            result.for_llm = structured.to_string();
        }
    }
    clean(scrubber, &mut result.for_llm);
    for repair in &mut result.repairs {
        // A path may hold a key that the model made up.
        clean(scrubber, &mut repair.path);
    }
    for media in &mut result.media {
        clean(scrubber, &mut media.path);
        for text in [&mut media.filename, &mut media.mime, &mut media.caption].into_iter().flatten()
        {
            clean(scrubber, text);
        }
    }
}

fn clean(scrubber: &Scrubber, text: &mut String) {
    if let std::borrow::Cow::Owned(scrubbed) = scrubber.scrub(text) {
        *text = scrubbed;
    }
}
