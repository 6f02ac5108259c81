//! Programs that read files and print them unchanged.

use crate::effect::Access;
use crate::model::{Example, Grammar, Model, Opt, Parsed, Report, Style};

/// The programs of this file, each with its options, its effects and its examples.
pub(super) const TABLE: &[Model] = &[
    Model {
        names: &["cat", "gcat", "tac"],
        grammar: &CAT,
        effects: reads_operands,
        examples: &[
            Example { command: "cat README.md src/*.rs", effects: &[] },
            Example { command: "cat -n ~/.ssh/id_rsa", effects: &["read:secret"] },
            Example { command: "cat --frobnicate x", effects: &["unmodelled"] },
        ],
    },
    Model {
        names: &["echo", "printf", "true", "false", ":"],
        grammar: &Grammar { options: &[], style: Style::Operands, subcommands: &[] },
        effects: |_, _| {},
        examples: &[Example { command: "echo hello > out.txt", effects: &["write:workspace"] }],
    },
];

/// The options of `cat`.
const CAT: Grammar = Grammar {
    options: &[
        Opt::flag(&["-A", "--show-all"]),
        Opt::flag(&["-b", "--number-nonblank"]),
        Opt::flag(&["-e"]),
        Opt::flag(&["-E", "--show-ends"]),
        Opt::flag(&["-n", "--number"]),
        Opt::flag(&["-s", "--squeeze-blank"]),
        Opt::flag(&["-t"]),
        Opt::flag(&["-T", "--show-tabs"]),
        Opt::flag(&["-u"]),
        Opt::flag(&["-v", "--show-nonprinting"]),
        Opt::flag(&["--help"]),
        Opt::flag(&["--version"]),
    ],
    style: Style::Gnu,
    subcommands: &[],
};

/// Reports that each operand is read.
fn reads_operands(report: &mut Report<'_>, parsed: &Parsed<'_>) {
    for operand in &parsed.operands {
        report.file(Access::Read, operand);
    }
}
