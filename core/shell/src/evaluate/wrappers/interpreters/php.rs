//! `php`: its options, and which of its settings load code.

use super::super::WrapperCall;
use super::super::switches::{self, Letters};
use crate::code::Language;
use crate::effect::{Access, CodeFrom, Effect};
use crate::invocation::Argument;
use crate::model::Parsed;
use crate::value::Value;

/// The options of `php`.
static PHP: Letters = Letters {
    flags: "aCnhHilmqsvew",
    values: "rBREfFdcztSg",
    attached: "",
    digits: "",
    last: "",
    long_flags: &[
        "--version", "--help", "--ini", "--info", "--modules", "--interactive", "--no-php-ini",
        "--syntax-check", "--strip",
    ],
    long_values: &[
        "--run", "--file", "--define", "--php-ini", "--server", "--docroot", "--process-begin",
        "--process-code", "--process-end", "--process-file", "--rf", "--rc", "--re", "--ri",
    ],
    any_long: false,
};

/// Settings of PHP that change nothing but how it counts and shows.
const PHP_SETTINGS: &[&str] = &[
    "allow_url_fopen", "apc.enable_cli", "apc.enabled", "assert.active", "assert.exception",
    "date.timezone", "default_charset", "display_errors", "display_startup_errors",
    "error_reporting", "html_errors", "log_errors", "max_execution_time", "max_input_time",
    "max_input_vars", "memory_limit", "opcache.enable", "opcache.enable_cli", "opcache.jit",
    "opcache.jit_buffer_size", "output_buffering", "pcov.enabled", "pcre.backtrack_limit",
    "pcre.jit", "phar.readonly", "post_max_size", "precision", "register_argc_argv",
    "serialize_precision", "short_open_tag", "upload_max_filesize", "variables_order",
    "xdebug.max_nesting_level", "xdebug.mode", "xdebug.start_with_request", "zend.assertions",
    "zend.enable_gc",
];

impl WrapperCall<'_, '_> {
    /// One that is not known may load code or write a file.
    fn php_setting(&mut self, setting: &Argument) {
        let text = setting.value.prefix().to_owned();
        let (name, value) = text.split_once('=').unwrap_or((&text, ""));
        let name = name.trim();
        if PHP_SETTINGS.contains(&name) {
            return;
        }
        if name == "error_log" && setting.value.as_known().is_some() {
            let path = Value::known(value.trim().trim_matches('"'));
            return self.file_effect(Access::Write, &path, false, false);
        }
        if name.ends_with("extension") || name.starts_with("auto_") {
            self.effect(Effect::Code { from: CodeFrom::Setting(name.to_owned()) });
        }
        self.dynamic("a setting of php is not known, and may load code".into());
    }
}

/// Evaluates what `php` runs.
pub(super) fn php(wrapper: &mut WrapperCall<'_, '_>, parsed: &Parsed<'_>) {
    let switches = switches::read(&parsed.operands, &PHP);
    wrapper.report_switches(&switches);
    if ["v", "h", "m", "i", "--version", "--help", "--ini", "--modules", "--info"]
        .iter()
        .any(|option| switches.has(option))
    {
        if switches.has("i") || switches.has("--info") {
            wrapper.effect(Effect::EnvironmentDump);
        }
        return;
    }
    let settings: Vec<Argument> = switches.values(&["d", "--define"]).cloned().collect();
    settings.iter().for_each(|setting| wrapper.php_setting(setting));
    let files: Vec<Argument> = switches.values(&["c", "--php-ini", "z"]).cloned().collect();
    wrapper.reads(Access::Execute, &files);
    if let Some(address) = switches.values(&["S", "--server"]).next() {
        let port = address.value.as_known().and_then(|text| text.rsplit_once(':')?.1.parse().ok());
        wrapper.effect(Effect::Listen { port });
        return wrapper.done();
    }
    let codes: Vec<Argument> = switches
        .values(&[
            "r", "B", "R", "E", "--run", "--process-begin", "--process-code", "--process-end",
        ])
        .cloned()
        .collect();
    let files: Vec<Argument> =
        switches.values(&["f", "F", "--file", "--process-file"]).cloned().collect();
    if !codes.is_empty() {
        let code = wrapper.joined_code(&codes);
        wrapper.code(Language::Php, &code, &switches.rest);
    } else if let Some(file) = files.first() {
        wrapper.code_of_file(Language::Php, &file.value.clone(), &switches.rest);
    } else if switches.has("l") || switches.has("--syntax-check") {
        wrapper.reads(Access::Read, &switches.rest);
    } else {
        wrapper.operands(Language::Php, &switches.rest);
    }
    wrapper.done();
}
