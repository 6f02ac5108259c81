//! Whether a file may be overwritten by a caller that has not read it as it is now.

use std::sync::Arc;

use super::config::WriteSafety;
use super::read_versions::Verdict;
use crate::error::Code;
use crate::tool::ToolError;
use crate::workspace::line_diff;

/// The most lines of a difference that are shown.
const MOST_LINES: usize = 60;
/// The rule that a refusal names.
const RULE: &str = "files.write_safety";

impl WriteSafety {
    /// What to note in the result of a write, if anything. `now` gives the file as it may be
    /// shown, unless it is too long.
    ///
    /// # Errors
    /// `conflict` where the file must not be written.
    pub(crate) fn check(
        self,
        path: &str,
        verdict: &Verdict,
        now: impl FnOnce() -> Option<Arc<str>>,
    ) -> Result<Option<String>, ToolError> {
        match (self, verdict) {
            (WriteSafety::Off, _) | (_, Verdict::Current) => Ok(None),
            (WriteSafety::Warn, Verdict::Never) => Ok(Some(format!(
                "[`{path}` was there and had not been read in this session; read a file before you \
                 change it]"
            ))),
            (WriteSafety::Strict, Verdict::Never) => {
                let text = format!(
                    "`{path}` is unchanged: it is there and has not been read in this session, and \
                     a file is changed only by who knows what it says. Read it first, then try \
                     again."
                );
                Err(ToolError::new(Code::Conflict, text).by_rule(RULE))
            }
            (_, Verdict::Changed { shown }) => {
                let changes = changes(shown.as_deref(), now().as_deref());
                let text = format!(
                    "`{path}` is unchanged: somebody else has changed it since it was read in this \
                     session{changes}\nRead it again, then make the change from what it says now."
                );
                Err(ToolError::new(Code::Conflict, text).by_rule(RULE))
            }
        }
    }
}

/// What was changed, as the end of a sentence and the lines after it.
fn changes(before: Option<&str>, now: Option<&str>) -> String {
    let (Some(before), Some(now)) = (before, now) else { return ".".to_owned() };
    let diff = line_diff(before, now, MOST_LINES);
    if diff.is_empty() {
        return ", where no line that may be shown differs.".to_owned();
    }
    format!("; `-` is what was read, `+` what stands there now:\n{diff}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(mode: WriteSafety, verdict: &Verdict) -> Result<Option<String>, ToolError> {
        mode.check("a.txt", verdict, || Some("one\n2\n".into()))
    }

    #[test]
    fn what_was_read_as_it_is_may_be_written_in_every_mode() {
        for mode in [WriteSafety::Strict, WriteSafety::Warn, WriteSafety::Off] {
            assert_eq!(check(mode, &Verdict::Current), Ok(None));
        }
    }

    #[test]
    fn what_was_never_read_is_refused_noted_or_nobodys_business() {
        let refused = check(WriteSafety::Strict, &Verdict::Never).unwrap_err();
        assert_eq!((refused.code, refused.rule.as_deref()), (Code::Conflict, Some(RULE)));
        assert!(refused.message.contains("Read it first"), "{}", refused.message);
        let note = check(WriteSafety::Warn, &Verdict::Never).unwrap().unwrap();
        assert!(note.contains("`a.txt`"), "{note}");
        assert_eq!(check(WriteSafety::Off, &Verdict::Never), Ok(None));
    }

    #[test]
    fn what_was_changed_since_is_refused_with_what_was_changed() {
        let changed = Verdict::Changed { shown: Some("one\ntwo\n".into()) };
        for mode in [WriteSafety::Strict, WriteSafety::Warn] {
            let refused = check(mode, &changed).unwrap_err();
            assert!(refused.message.contains(" one\n-two\n+2\n"), "{}", refused.message);
        }
        assert_eq!(check(WriteSafety::Off, &changed), Ok(None));
        let refused = check(WriteSafety::Warn, &Verdict::Changed { shown: None }).unwrap_err();
        assert!(refused.message.contains("in this session.\n"), "{}", refused.message);
    }
}
