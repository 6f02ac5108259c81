//! Programs that show or change documents, data, pictures and sound: `jq`, `convert`, `pandoc`.

pub(super) mod data;
mod filter;
pub(super) mod pages;
pub(super) mod pictures;
pub(super) mod sound;

use super::kinds::{WORDS, ex, gnu, list, model, reads, unknown};
use crate::effect::{Access, Effect};
use crate::invocation::Argument;
use crate::model::Model;
use crate::value::Value;

/// The programs of this file, each with its options, its effects and its examples.
pub(super) const TABLE: &[Model] = &[
    model(
        &["cscope", "ctags", "etags", "gtags", "global"],
        &gnu(&[list(
            "-R --recurse, -f=>, -o=>, -e, -x, -b, -q, -k, -a --append, --languages=, --exclude=, --fields=, --extras=, -I=, -i, -n, -p, -r, -s, -c, -d, -g, -P, -l, -t",
        )]),
        |report, parsed| {
            reads(report, parsed);
            if !parsed.has("-f") && !parsed.has("-o") && !parsed.has("-x") {
                report.path(Access::Write, "tags");
            }
        },
        &[ex("ctags -R .", &["write:workspace"])],
    ),
    model(
        &["msgfmt", "msgmerge", "xgettext", "rst2man", "help2man"],
        &WORDS,
        unknown,
        &[ex("msgfmt x.po", &["unmodelled"])],
    ),
    model(
        &["envsubst"],
        &gnu(&[list("-v --variables, -V, -h")]),
        |report, parsed| {
            // Without a list every variable may be shown.
            if parsed.operands.is_empty() {
                report.may(Effect::Secret { kind: "variable".to_owned(), path: None });
            }
            for word in &parsed.operands {
                let text = word.value.as_known().unwrap_or("$_SECRET");
                for part in text.split('$').skip(1) {
                    let name = part.trim_start_matches('{');
                    let is_letter = |char: char| char == '_' || char.is_ascii_alphanumeric();
                    let name = name.split(|char| !is_letter(char)).next().unwrap_or_default();
                    let value = Value::known(name);
                    report.variable(&Argument { value, ..word.clone() });
                }
            }
        },
        &[
            ex("envsubst '$HOST' < a > b", &["write:workspace"]),
            ex("envsubst '${HOST} $API_KEY' < a", &["secret"]),
        ],
    ),
    model(
        &["genisoimage mkisofs xorriso mksquashfs unsquashfs qemu-img hdiutil VBoxManage virsh \
             qemu-system-x86_64"],
        &WORDS,
        unknown,
        &[ex("mksquashfs a b", &["unmodelled"])],
    ),
];
