//! Programs that show or change data: `jq`, `yq`, `xmllint`, `csvcut`.

use super::filter::{self, Language};
use crate::effect::{CodeFrom, Effect, Payload};
use crate::invocation::Argument;
use crate::model::{Grammar, Model, Parsed, Report};
use crate::models::kinds::{changes, ex, gnu, list, model, nothing, reads, single, writes};
use crate::models::web;

/// The programs of this file, each with its options, its effects and its examples.
pub(in crate::models) const TABLE: &[Model] = &[
    model(
        &["jq", "gojq", "jaq"],
        &JQ,
        jq,
        &[
            ex("curl -s https://example.com/data.json | jq .", &["network"]),
            ex("jq -r --arg x 1 '.a[] | select(.b == $x)' a.json", &[]),
            ex("jq . .env", &["read:secret"]),
            ex("jq -R . ~/.aws/credentials --args", &["read:secret"]),
            ex("jq -n '$ENV.API_TOKEN'", &["secret"]),
            ex("jq -n '$ENV.HOME'", &[]),
            ex("jq .environment a.json", &[]),
            ex("jq -n env", &["environment_dump"]),
            ex("jq -n '$ENV'", &["environment_dump"]),
            ex("jq -n '$ ENV'", &["environment_dump"]),
            ex("jq -n -L ~/.docker 'import \"config\" as $d; $d'", &["unmodelled"]),
        ],
    ),
    model(
        &["yq", "xq", "tomlq"],
        &YQ,
        yq,
        &[
            ex("yq '.a.b' x.yaml", &[]),
            ex("yq -o=json x.yaml", &[]),
            ex("yq -o json '.a' x.yaml", &[]),
            ex("yq -i '.a = 1' x.yaml", &["write:workspace"]),
            ex("yq . ~/.kube/config", &["read:secret"]),
            ex("yq -n '$ENV'", &["environment_dump"]),
            ex("yq -i '.a = strenv(HOME)' x.yaml", &["write:workspace"]),
            ex("yq -n 'load_str(\"/home/user/.ssh/id_rsa\")'", &["unmodelled"]),
            ex("yq -s '.git/hooks/x' a", &["unmodelled"]),
        ],
    ),
    model(
        &["gron", "jless"],
        &gnu(&[list(
            "-u --ungron, -v --values, -c --colorize, -m --monochrome, -s --stream, -k --insecure, -j --json, --no-sort, --mode=, --yaml, -N, -r",
        )]),
        looks,
        &[ex("gron a.json", &[]), ex("gron https://example.com/a.json", &["network"])],
    ),
    model(
        &["xmllint"],
        // `--noent`, `--xinclude` and `--shell` read what the document or the input names.
        &single(&[list(
            "-version --version, -noout --noout, -format --format, -pretty --pretty=, -recover --recover, -huge --huge, -nonet --nonet, -noblanks --noblanks, \
             -nocdata --nocdata, -nowarning --nowarning, -nsclean --nsclean, -html --html, -htmlout --htmlout, -xmlout --xmlout, -nowrap --nowrap, -valid --valid, -postvalid --postvalid, \
             -dtdvalid --dtdvalid=<, -schema --schema=<, -relaxng --relaxng=<, -schematron --schematron=<, -xpath --xpath=, -xpath0 --xpath0=, -pattern --pattern=, -encode --encode=, -c14n --c14n, -c14n11 --c14n11, \
             -exc-c14n --exc-c14n, -dropdtd --dropdtd, -debug --debug, -stream --stream, -sax --sax, -timing --timing, -quiet --quiet, -o -output --output=>, -nodefdtd --nodefdtd, -memory --memory, -repeat --repeat",
        )]),
        looks,
        &[
            ex("xmllint --noout x.xml", &[]),
            ex("xmllint --xpath '//a' x.xml", &[]),
            ex("xmllint --output x.xml y.xml", &["write:workspace"]),
            ex("echo 'save /home/user/.bashrc' | xmllint --shell a.xml", &["unmodelled"]),
        ],
    ),
    model(
        &["tidy"],
        &gnu(&[list(
            "-m -modify, -o -output --output-file=>, -f -file --error-file=>, -q -quiet, -i -indent, -w -wrap=, -xml, -asxml, -asxhtml, -ashtml, -e -errors, -c -clean, \
             -b -bare, -g -gdoc, -n -numeric, -u -upper, -omit, -utf8, -ascii, -latin1, -raw, -language=, -v, -h, --write-back=, --indent=, --wrap=, --show-body-only=, --quiet=, --tidy-mark=, --doctype=, --input-xml=, \
             --output-xml=, --output-xhtml=, --output-html=, --indent-spaces=, --indent-attributes=, --show-warnings=, --show-errors=, --show-info=, --drop-empty-elements=, --force-output=, --wrap-attributes=, \
             --vertical-space=, --char-encoding=, --input-encoding=, --output-encoding=, --clean=, --sort-attributes=, --preserve-entities=, --numeric-entities=, --hide-comments=, --new-blocklevel-tags=, \
             --new-inline-tags=, --new-empty-tags=, --custom-tags=, --mute=, --gnu-emacs=, --warn-proprietary-attributes=, --drop-proprietary-attributes=",
        )]),
        |report, parsed| {
            reads(report, parsed);
            if parsed.has("-m") || parsed.has("--write-back") {
                writes(report, parsed);
            }
        },
        &[
            ex("tidy -q -e a.html", &[]),
            ex("tidy -im a.html", &["write:workspace"]),
            ex("tidy -f .git/hooks/pre-commit a.html", &["write:version_control"]),
        ],
    ),
    model(
        &["pup", "htmlq"],
        &gnu(&[list(
            "-c --color, -f --file --filename=<, -i --indent=, -n --number, -l --limit=, -p --plain --pretty, --pre, --charset=, -o --output=>, -t --text, -a --attribute=, \
             -b --detect-base, -B --base=, -r --remove-nodes=, -w --ignore-whitespace, -V, -h",
        )]),
        nothing,
        &[ex("curl -s https://example.com | pup 'a attr{href}'", &["network"])],
    ),
    model(
        &["csvcut csvlook csvstat csvsort"],
        &gnu(&[
            CSV,
            list(
                "-n --names, -c --columns=, -C --not-columns=, -x --delete-empty-rows, --max-rows=, --max-columns=, --max-column-width=, -r --reverse, -i --ignore-case, -y --snifflimit=, -I --no-inference, --csv, --json, --freq, --freq-count=, --count, --type, \
             --nulls, --unique, --min, --max, --sum, --mean, --median, --stdev, --len",
            ),
        ]),
        reads,
        &[ex("csvcut -c 1,2 a.csv | csvlook", &[])],
    ),
    model(
        &["csvgrep"],
        &gnu(&[
            CSV,
            list(
                "-n --names, -c --columns=, -m --match=, -r --regex=, -f --file=<, -i --invert-match, -a --any-match",
            ),
        ]),
        reads,
        &[ex("csvgrep -c 1 -m x a.csv", &[])],
    ),
    model(
        &["csvjson", "in2csv"],
        &gnu(&[
            CSV,
            list(
                "-i --indent=, -k --key=, -f --format=, -s --schema=<, --sheet=, -n --names, --stream, --lat=, --lon=, -y --snifflimit=, -I --no-inference",
            ),
        ]),
        reads,
        &[ex("csvjson a.csv", &[]), ex("in2csv --write-sheets - a.xlsx", &["unmodelled"])],
    ),
    model(
        &["xsv"],
        &gnu(&[list(
            "-d --delimiter=, -n --no-headers, -s --select=, -o --output=>, -i --ignore-case, -v --invert-match, -N --numeric, -R --reverse, -l --limit=, -a, --everything, --mode, --cardinality, --nulls, --median",
        )]),
        xsv,
        &[ex("xsv stats a.csv", &[]), ex("xsv split out a.csv", &["unmodelled"])],
    ),
    model(
        &["json_pp"],
        &single(&[list("-f=, -t=, -json_opt=, -v, -V")]),
        |report, parsed| {
            if parsed.values("-f").any(|form| form.value.as_known() != Some("json")) {
                // `-f eval` runs its input.
                report.add(Effect::Code { from: CodeFrom::Stdin });
            }
        },
        &[ex("json_pp < a.json", &[]), ex("json_pp -f eval < a", &["code:stdin"])],
    ),
    model(
        &["jsonlint"],
        &gnu(&[list(
            "-q --quiet, -p --pretty-print, -s --sort-keys, -c --compact, -i --in-place, -t --indent=, -V --validate=<",
        )]),
        |report, parsed| {
            reads(report, parsed);
            if parsed.has("-i") {
                writes(report, parsed);
            }
        },
        &[ex("jsonlint -q a.json", &[]), ex("jsonlint -i a.json", &["write:workspace"])],
    ),
    model(
        &["yamllint"],
        &gnu(&[list(
            "-f --format=, -s --strict, -c --config-file=<, -d --config-data=, --list-files, --no-warnings, -v",
        )]),
        reads,
        &[ex("yamllint -s .", &[])],
    ),
    model(
        &["dos2unix", "unix2dos", "mac2unix", "recode", "detox"],
        &gnu(&[list(
            "-k --keepdate, -q --quiet, -n --newfile, -f --force, -b --keep-bom, -o --oldfile, -s, -v, -i --info[=], -c --convmode=, -m --add-bom, -r, -e, -l, -S",
        )]),
        changes,
        &[ex("dos2unix a.txt", &["write:workspace"])],
    ),
    model(
        &["bc"],
        &gnu(&[list(
            "-e --expression=, -f --file=<, -i --interactive, -l --mathlib, -q --quiet, -s --standard, -w --warn, -S --scale=, -v",
        )]),
        reads,
        &[ex("bc <<< '1+1'", &[]), ex("echo 'scale=2; 1/3' | bc -l", &[])],
    ),
    model(
        &["dc"],
        &gnu(&[list("-e --expression=, -f --file=, -i --interactive, -x --extended-register, -V")]),
        dc,
        &[
            ex("dc -e '2 3 + p'", &[]),
            ex("echo '2 3 !=a p' | dc", &[]),
            ex("echo '!id' | dc", &["code:setting"]),
            ex("dc -e '[!id]x'", &["code:setting"]),
            ex("dc x.dc", &["code:file", "unmodelled"]),
        ],
    ),
];

/// The options of `jq`.
const JQ: Grammar = gnu(&[list(
    "-n --null-input, -R --raw-input, -s --slurp, -c --compact-output, -r --raw-output, --raw-output0, -j --join-output, -a --ascii-output, -S --sort-keys, -C --color-output, -M --monochrome-output, --tab, --indent=, --unbuffered, \
     --stream, --stream-errors, --seq, -f --from-file=<, -L --library-path=, --arg==, --argjson==, --slurpfile==<, --rawfile==<, --argfile==<, --args, --jsonargs, -e --exit-status, -V, --build-configuration, -h, -b --binary, \
     --yaml-input, --yaml-output, --debug-dump-disasm, --debug-trace[=]",
)]);

/// Options of both programs called `yq`. To one of them `-s` is no flag: it writes files that its value names.
const YQ: Grammar = gnu(&[list(
    "-n --null-input, -R --raw-input, --slurp, -c --compact-output, -r --raw-output, --unwrapScalar[=], -j --join-output --tojson, -a --ascii-output, -S --sort-keys, -C --color-output --colors, -M --monochrome-output --no-colors, \
     --tab, -I --indent=, -f --from-file=<, --front-matter=, --arg==, --argjson==, --slurpfile==<, --rawfile==<, --argfile==<, --args, --jsonargs, -e --exit-status, -V, -v --verbose, -h, -i --inplace --in-place, \
     -o --output-format=, -p --input-format=, -P --prettyPrint, -N --no-doc, -0 --nul-output, --expression=, -y --yaml-output, -Y --yaml-roundtrip, -t --toml-output, -x --xml-output, --xml-root=, --xml-item-depth=, \
     --xml-force-list=, --xml-attribute-prefix=, --xml-content-name=, --xml-keep-namespace, --xml-raw-token, --xml-strict-mode, --xml-skip-proc-inst, --xml-skip-directives, --csv-auto-parse, --tsv-auto-parse, --csv-separator=, \
     --properties-separator=, --header-preprocess, --string-interpolation, --security-disable-env-ops, --security-disable-file-ops, -w --width=, --indentless-lists, --explicit-start, --explicit-end, --yaml-output-grammar-version=, --node, -m --html, -q --query=",
)]);

/// What the programs of csvkit have in common.
const CSV: crate::model::Opt = list(
    "-d --delimiter=, -t --tabs, -q --quotechar=, -u --quoting=, -b --no-doublequote, -p --escapechar=, -z --maxfieldsize=, -e --encoding=, -L --locale=, -S --skipinitialspace, --blanks, --null-value=, \
     --date-format=, --datetime-format=, -H --no-header-row, -K --skip-lines=, -v --verbose, -l --linenumbers, --zero, -V, -h",
);

/// Words behind `--args` are no files, but those before it are.
fn jq(report: &mut Report<'_>, parsed: &Parsed<'_>) {
    let mut files = parsed.operands.iter();
    if !parsed.has("-f")
        && let Some(program) = files.next()
    {
        filter::report_effects(report, program, Language::Jq);
    }
    for file in files {
        report.reads(file);
    }
}

/// The first operand is a filter, unless it is the name of a file that is there.
fn yq(report: &mut Report<'_>, parsed: &Parsed<'_>) {
    let words: Vec<&Argument> = match &parsed.operands[..] {
        [first, rest @ ..]
            if matches!(first.value.as_known(), Some("eval" | "e" | "eval-all" | "ea")) =>
        {
            rest.iter().collect()
        }
        all => all.iter().collect(),
    };
    for given in parsed.values("--expression") {
        filter::report_effects(report, given, Language::Yq);
    }
    for (at, word) in words.iter().enumerate() {
        let text = word.value.prefix();
        if at == 0 && !parsed.has("-f") && !parsed.has("--expression") {
            filter::report_effects(report, word, Language::Yq);
            let is_path = text.starts_with(['/', '~']) || text.contains('/') && !text.contains(' ');
            let is_field = text.starts_with('.') && words.len() > 1;
            let signs = [' ', '|', '(', '[', '{', '"', '=', '$', '*', ','];
            if text == "." || !is_path && is_field || !is_path && text.contains(signs) {
                continue;
            }
        }
        report.reads(word);
        if parsed.has("-i") {
            report.writes(word);
        }
    }
}

/// It reads its operands, which may be addresses.
fn looks(report: &mut Report<'_>, parsed: &Parsed<'_>) {
    for word in &parsed.operands {
        if word.value.prefix().contains("://") {
            web::fetch(report, word, Payload::None);
        } else {
            report.reads(word);
        }
    }
}

/// The effects of `xsv`.
fn xsv(report: &mut Report<'_>, parsed: &Parsed<'_>) {
    /// Commands of the CSV tools that only print.
    const LOOKS: &[&str] = &[
        "cat", "count", "fixlengths", "flatten", "fmt", "frequency", "headers", "help", "input",
        "join", "reverse", "sample", "search", "select", "slice", "sort", "stats", "table",
    ];
    let Some((command, files)) = parsed.operands.split_first() else { return };
    if !command.value.as_known().is_some_and(|name| LOOKS.contains(&name)) {
        report.not_understood("its command is not known");
    }
    for file in files {
        report.reads(file);
    }
}

/// `!` gives the rest of a line to a shell, unless it is a comparison.
fn dc(report: &mut Report<'_>, parsed: &Parsed<'_>) {
    use crate::invocation::Stdin;
    let is_given = parsed.has("-e") || parsed.has("-f") || !parsed.operands.is_empty();
    let stdin = match &report.invocation.stdin {
        Stdin::Inherited => None,
        _ if is_given => None,
        Stdin::Text(text) | Stdin::Rest(text) => Some(text.as_known().map(str::to_owned)),
        Stdin::File(_) | Stdin::Pipe(_) | Stdin::Unknown => Some(None),
    };
    let texts = parsed.values("-e").map(|text| text.value.as_known().map(str::to_owned));
    for text in texts.chain(stdin).collect::<Vec<_>>() {
        let Some(text) = text else {
            report.not_understood("what it computes is not known");
            continue;
        };
        let mut rests = text.split('!').skip(1);
        if rests.any(|rest| !rest.starts_with(['=', '<', '>'])) {
            let setting = "a command of `dc`".to_owned();
            report.add(Effect::Code { from: CodeFrom::Setting(setting) });
        }
    }
    let files: Vec<&Argument> = parsed.values("-f").chain(&parsed.operands).collect();
    for file in &files {
        report.reads(file);
    }
    if !files.is_empty() {
        report.add(Effect::Code { from: CodeFrom::File });
        report.not_understood("its file may run commands");
    }
}
