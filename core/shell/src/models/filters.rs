//! Programs that read text and print it.

use super::super::effect::Access;
use super::super::model::{Example, Grammar, Model, Opt, Parsed, Report, Style};

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

fn reads_operands(report: &mut Report<'_>, parsed: &Parsed<'_>) {
    for operand in &parsed.operands {
        report.file(Access::Read, operand);
    }
}
