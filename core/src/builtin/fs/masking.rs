//! Masking what a search shows.

use std::io::{BufRead, Read};
use std::path::Path;
use std::sync::Arc;

use super::masked::Masked;
use crate::builtin::Deps;
use crate::scrub::Scrubber;
use crate::tool::CallContext;
use crate::vault::{FileAt, Opener};
use crate::workspace::{Mask, Matched, Workspace};

/// Masks files as `read_file` does: each as a whole, so that a line of it shows no half of a
/// secret.
pub(super) struct Masking {
    scrubber: Scrubber,
    opener: Option<Arc<Opener>>,
    workspace: Workspace,
}

impl Masking {
    pub(super) fn new(deps: &Deps, cx: &CallContext, workspace: Workspace) -> Masking {
        let (scrubber, opener) = (cx.scrubber(&deps.scrubbers), cx.opener().cloned());
        let scrubber = match &opener {
            Some(opener) => opener.standing_scrubber(&scrubber),
            None => scrubber,
        };
        Masking { scrubber, opener, workspace }
    }
}

impl Mask for Masking {
    fn masked(&self, file: &Path, text: &[u8], show: &mut dyn FnMut(&[u8]) -> Matched) -> Matched {
        // Of what is no UTF-8 no placeholder opens: shown as U+FFFD it would be another text than
        // the one that was looked through.
        let (Some(opener), Ok(text)) = (&self.opener, std::str::from_utf8(text)) else {
            return show(&self.scrubber.scrub_bytes(text));
        };
        let (root, path) = self.workspace.named(file);
        let sealing = opener.sealing(Some(FileAt { root, path }));
        let matched = show(self.scrubber.scrub_sealing(text, &sealing).as_bytes());
        // Of what it sealed only that is kept which the model may put back from here.
        let shown: Vec<&str> = matched.lines.iter().map(|line| line.text.as_str()).collect();
        if sealing.keep_in(&shown.join("\n")) > 0 {
            opener.has_sealed();
        }
        matched
    }

    fn masked_as_read<'r>(&self, text: Box<dyn BufRead + 'r>) -> Box<dyn Read + 'r> {
        Box::new(Masked::new(text, &self.scrubber))
    }
}
