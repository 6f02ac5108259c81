//! Judging commands of a shell without a runtime.

use toolkeep::CheckOptions;

use crate::error::toolkeep_error;
use crate::guard::guard;
use crate::handle::Out;
use crate::input;
use crate::string::{self, toolkeep_str, toolkeep_string};

/// Says what a shell command does, and whether it may run. Runs nothing. Any thread may call it,
/// callbacks too.
///
/// `options_json` is an object; empty means the defaults. It takes the keys of `shell` in the
/// configuration (`profile`: `strict`, the default, or `workspace`; `groups`, `deny`, `allow`, …)
/// and `env`, which describes where the command would run (`cwd`, `home`, `workspace`,
/// `read_roots`, `deny_paths`, `links`, …); by default in the virtual folder `/workspace`. To judge
/// a command in the folders of a caller, invoke the operation `shell.check` of a runtime.
///
/// On success `*out` is a JSON object, owned by the host: release it with toolkeep_string_free(). It
/// has the keys `verdict` (`allow`, `ask` or `deny`), `categories`, `reasons`, `effects`, `segments`,
/// `unknowns`, `for_llm`, `for_user`, `suggestion`, and others. Returns NULL, or an error that the
/// host owns: TOOLKEEP_INVALID_ARGUMENT names the option.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn toolkeep_check_command(
    command: toolkeep_str,
    options_json: toolkeep_str,
    out: *mut *mut toolkeep_string,
) -> *mut toolkeep_error {
    guard(|| {
        // SAFETY: the host gives NULL or a place to write to.
        let out = unsafe { Out::new(out) }?;
        // SAFETY: the host lends both texts for the length of this call.
        let (command, options) =
            unsafe { (command.text("command")?, input::json(options_json, "options_json")?) };
        let options = CheckOptions::from_value(&options)?;
        let check = toolkeep::check_command(command, &options);
        string::put(out, input::text_of(&check)?);
        Ok(())
    })
}
