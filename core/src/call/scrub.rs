//! Gate: no secret leaves in any text of a result.

use std::borrow::Cow;

use crate::scrub::Scrubber;
use crate::tool::ToolResult;
use crate::vault::{Opener, Sealing};

/// Masks every text. With the vault on, what is masked is kept for the session.
pub(super) fn pass(scrubber: &Scrubber, opener: Option<&Opener>, result: &mut ToolResult) {
    let Some(opener) = opener else {
        return Cleaner { scrubber, sealing: None }.clean(result);
    };
    let sealing = opener.sealing(None);
    Cleaner { scrubber, sealing: Some(&sealing) }.clean(result);
    if sealing.keep() > 0 {
        opener.has_sealed();
    }
}

struct Cleaner<'s> {
    scrubber: &'s Scrubber,
    sealing: Option<&'s Sealing<'s>>,
}

impl Cleaner<'_> {
    fn clean(&self, result: &mut ToolResult) {
        for text in [&mut result.for_user, &mut result.rule].into_iter().flatten() {
            self.clean_text(text);
        }
        if let Some(structured) = &mut result.structured {
            match self.sealing {
                Some(sealing) => self.scrubber.scrub_json_sealing(structured, sealing),
                None => self.scrubber.scrub_json(structured),
            }
            // Data becomes text only now: JSON's escapes would hide a secret from the patterns.
            if result.for_llm.is_empty() {
                result.for_llm = structured.to_string();
            }
        }
        self.clean_text(&mut result.for_llm);
        for repair in &mut result.repairs {
            // A path may hold a key that the model made up.
            self.clean_text(&mut repair.path);
        }
        for media in &mut result.media {
            self.clean_text(&mut media.path);
            let texts = [&mut media.filename, &mut media.mime, &mut media.caption];
            for text in texts.into_iter().flatten() {
                self.clean_text(text);
            }
        }
    }

    fn clean_text(&self, text: &mut String) {
        let scrubbed = match self.sealing {
            Some(sealing) => self.scrubber.scrub_sealing(text, sealing),
            None => self.scrubber.scrub(text),
        };
        if let Cow::Owned(scrubbed) = scrubbed {
            *text = scrubbed;
        }
    }
}
