//! Programs that turn documents into others: `pandoc`, `pdftotext`, `pdflatex`, `dot`.

use crate::effect::{Access, CodeFrom, Effect, Payload};
use crate::invocation::Argument;
use crate::model::{Grammar, Model, Parsed, Report};
use crate::models::kinds::{
    behind, changes, ex, gnu, list, model, reads, reads_first_writes_second, reads_writes_last,
    single, within, writes,
};
use crate::models::web;
use crate::value::{Origin, Value};

/// The programs of this file, each with its options, its effects and its examples.
pub(in crate::models) const TABLE: &[Model] = &[
    model(
        &["pandoc"],
        &PANDOC,
        pandoc,
        &[
            ex("pandoc README.md -o out.pdf", &["write:workspace"]),
            ex(
                "pandoc -sf markdown+smart -t html5 --toc -M title=A a.md -o a.html",
                &["write:workspace"],
            ),
            ex(
                "pandoc --pdf-engine=xelatex -V geometry:margin=1in a.md -o a.pdf",
                &["write:workspace"],
            ),
            ex("pandoc --lua-filter x.lua a.md", &["unmodelled"]),
            ex("pandoc -sL x.lua a.md", &["unmodelled"]),
            ex("pandoc --lua-f=x.lua a.md", &["unmodelled"]),
            ex("pandoc --pdf-eng=./x a.md -o a.pdf", &["unmodelled", "write:workspace"]),
            ex("pandoc --to=evil.lua a.md", &["unmodelled"]),
            ex("pandoc a.md --include-after-body=/home/user/.ssh/id_rsa", &["read:secret"]),
            ex("pandoc -M csl=/home/user/.ssh/id_rsa a.md", &["read:secret"]),
        ],
    ),
    model(
        &["pdftotext"],
        &POPPLER,
        first_to_second,
        &[ex("pdftotext -layout a.pdf -", &[]), ex("pdftotext a.pdf /etc/x", &["write:system"])],
    ),
    model(
        &["pdftoppm", "pdftocairo"],
        &POPPLER,
        reads_first_writes_second,
        &[ex("pdftoppm -png -r 150 a.pdf out", &["write:workspace"])],
    ),
    model(&["pdfinfo"], &POPPLER, reads, &[ex("pdfinfo a.pdf", &[])]),
    model(
        &["pdfunite", "pdfseparate"],
        &POPPLER,
        reads_writes_last,
        &[ex("pdfunite a.pdf b.pdf c.pdf", &["write:workspace"])],
    ),
    model(
        &["qpdf"],
        &gnu(&[list(
            "--pages, --empty, --replace-input, --linearize, --check, --decrypt, --encrypt==, --password=, --password-file=<, --qdf, --object-streams=, --stream-data=, --compress-streams=, --recompress-flate, \
             --compression-level=, --json[=], --json-output[=], --show-npages, --show-pages, --show-encryption, --show-object=, --split-pages[=], --rotate=, --warning-exit-0, --progress, --overlay=<, --underlay=<, --flatten-annotations=, \
             --flatten-rotation, --optimize-images, --no-warn, --list-attachments, --requires-password, --is-encrypted, --min-version=, --collate[=], --coalesce-contents, --deterministic-id, --static-id, --remove-unreferenced-resources=, \
             --job-json-file=, --copy-encryption=<, --encryption-file-password=, --add-attachment=<, --remove-attachment=, --verbose",
        )]),
        qpdf,
        &[
            ex("qpdf --empty --pages a.pdf 1-3 b.pdf -- out.pdf", &["write:workspace"]),
            ex("qpdf --check a.pdf", &[]),
            ex("qpdf @list a.pdf", &["unmodelled", "write:workspace"]),
        ],
    ),
    model(
        &["ps2pdf", "pdf2ps", "ps2ps", "eps2eps", "ps2pdfwr"],
        &single(&[list(
            "-dPDFSETTINGS[=], -dCompatibilityLevel[=], -dAutoRotatePages[=], -dEmbedAllFonts[=], -dSubsetFonts[=], -dEPSCrop, -dPDFX[=], -dPDFA[=], -dNOPAUSE, -dBATCH, -dQUIET, -dSAFER, -sPAPERSIZE[=], \
             -sDEFAULTPAPERSIZE[=], -dFIXEDMEDIA, -dFirstPage[=], -dLastPage[=], -dOptimize[=], -dUseFlateCompression[=], -dMaxSubsetPct[=], -dColorImageResolution[=], -dGrayImageResolution[=], -dDownsampleColorImages[=], -q, -r[=]",
        )]),
        first_to_second,
        &[
            ex("ps2pdf -dPDFSETTINGS=/ebook a.ps b.pdf", &["write:workspace"]),
            ex("ps2pdf -dNOSAFER a.ps b.pdf", &["unmodelled", "write:workspace"]),
            ex("ps2pdf -dSAFER=false a.ps b.pdf", &["unmodelled", "write:workspace"]),
        ],
    ),
    model(
        &["rst2html", "rst2html5", "rst2latex", "rst2xml"],
        &gnu(&[list(
            "--stylesheet=<, --stylesheet-path=<, --link-stylesheet, --embed-stylesheet, --template=<, --title=, -g --generator, --no-generator, -d --date, -t --time, --no-datestamp, -s --source-link, -u --source-url=, \
             --no-source-link, --section-numbering, --no-section-numbering, --strict, -r --report=, -v --verbose, -q --quiet, --halt=, -i --input-encoding=, -o --output-encoding=, -l --language=, --syntax-highlight=, \
             --initial-header-level=, --math-output=, --smart-quotes=, --no-toc-backlinks, --no-raw, --no-file-insertion, --raw-enabled, --file-insertion-enabled, --warnings=>, --record-dependencies=>, --dump-settings, --traceback, --config=, --writer=, --reader=, --parser=",
        )]),
        |report, parsed| {
            reads_first_writes_second(report, parsed);
            if ["--config", "--writer", "--reader", "--parser"]
                .iter()
                .any(|option| parsed.has(option))
            {
                report.not_understood("it loads code or settings");
            }
        },
        &[
            ex("rst2html a.rst a.html", &["write:workspace"]),
            ex("rst2html a.rst .git/hooks/pre-commit", &["write:version_control"]),
        ],
    ),
    model(
        &["markdown", "cmark"],
        &gnu(&[list(
            "-t --to=, -e --extension=, -o --output=>, --unsafe, --safe, --smart, --hardbreaks, --nobreaks, --validate-utf8, --sourcepos, --footnotes, --width=, --list-extensions, --strikethrough-double-tilde, -V, -h",
        )]),
        reads,
        &[ex("cmark -t html a.md > a.html", &["write:workspace"])],
    ),
    model(
        &["dot neato fdp sfdp circo twopi"],
        &gnu(&[list(
            "-T=, -o=>, -O, -G=, -N=, -E=, -K=, -l=<, -n[=], -s[=], -q[=], -v, -V, -y, -x, -P=",
        )]),
        |report, parsed| {
            reads(report, parsed);
            if parsed.has("-O") {
                writes(report, parsed);
            }
        },
        &[
            ex("dot -Tpng a.dot -o a.png", &["write:workspace"]),
            ex("dot -Tsvg -O a.dot", &["write:workspace"]),
        ],
    ),
    model(
        &["hunspell"],
        &gnu(&[list(
            "-d=, -l, -a, -u, -G, -L, -w, -i=, -p=>, -H, -t, -X, -n, -O, -D, -1, -r, -s, -S, -m, -P=, -v, -vv, -h",
        )]),
        |report, parsed| {
            reads(report, parsed);
            if !parsed.has("-l") && !parsed.has("-a") {
                writes(report, parsed);
            }
        },
        &[ex("hunspell -d en_US -l a.md", &[])],
    ),
    model(
        &["catdoc", "antiword"],
        &gnu(&[list("-a, -b, -t, -u, -8, -v, -V, -h")]),
        reads,
        &[ex("catdoc a.doc", &[])],
    ),
    model(&["docx2txt"], &gnu(&[]), first_to_second, &[ex("docx2txt a.docx -", &[])]),
    model(
        &["latex pdflatex xelatex lualatex tex pdftex xetex luatex"],
        // Shells, formats and scripts are not among these.
        &single(&[list(
            "-interaction --interaction=, -halt-on-error --halt-on-error, -file-line-error --file-line-error, -no-file-line-error --no-file-line-error, -output-directory --output-directory=, -jobname --jobname=, \
             -draftmode --draftmode, -synctex --synctex=, -recorder --recorder, -no-shell-escape --no-shell-escape, -output-format --output-format=, -8bit --8bit, -etex --etex, -version --version, -help --help",
        )]),
        tex,
        &[
            ex("pdflatex paper.tex", &["code:file", "write:workspace"]),
            ex(
                "pdflatex -interaction=nonstopmode -halt-on-error a.tex",
                &["code:file", "write:workspace"],
            ),
            ex("pdflatex --shell-escape x.tex", &["code:file", "unmodelled", "write:workspace"]),
            ex("pdflatex -output-directory=/home/user/.config a.tex", &["code:file", "write:home"]),
            ex("pdflatex '\\input{a}'", &["code:file", "unmodelled", "write:workspace"]),
        ],
    ),
    model(
        &["latexmk"],
        &single(&[list(
            "-pdf --pdf, -xelatex --xelatex, -lualatex --lualatex, -pdflatex --pdflatex, -pdfxe, -pdflua, -pdfdvi, -pdfps, -dvi, -ps, -c, -C, -CA, -f, -g, -gg, -quiet --quiet, -silent, -cd, -bibtex, -nobibtex, \
             -bibtex-cond, -synctex=, -interaction=, -halt-on-error, -file-line-error, -recorder, -verbose, -outdir -output-directory --outdir --output-directory=, -auxdir -aux-directory --auxdir --aux-directory=, \
             -jobname --jobname=, -use-make, -norc, -view=, -time, -logfilewarnings, -rules, -deps, -MF=>, -version --version, -v, -help --help, -h",
        )]),
        tex,
        &[
            ex("latexmk -pdf -interaction=nonstopmode a.tex", &["code:file", "write:workspace"]),
            ex(
                "latexmk -pdflatex='sh -c id' a.tex",
                &["code:file", "unmodelled", "write:workspace"],
            ),
            ex("latexmk -r evil.rc", &["code:file", "unmodelled", "write:workspace"]),
            ex("latexmk -outdir=/etc a.tex", &["code:file", "write:system"]),
        ],
    ),
    model(
        &["tectonic"],
        &gnu(&[list(
            "-o --outdir=, -k --keep-logs, -p --print, --synctex, --untrusted, --outfmt=, -r --reruns=, -C --only-cached, -c --chatter=, --keep-intermediates, -w --web-bundle=, -b --bundle=<, -Z=, -X=",
        )]),
        |report, parsed| {
            tex(report, parsed);
            if ["-w", "-Z", "-X"].iter().any(|option| parsed.has(option)) {
                report.not_understood("it may run commands, or fetch them");
            }
        },
        &[ex("tectonic a.tex", &["code:file", "write:workspace"])],
    ),
    model(
        &["bibtex biber makeindex"],
        &gnu(&[list(
            "-c, -g, -i, -l, -q --quiet, -r, -L, -T, -o=>, -p=, -s=<, -t=>, -min-crossrefs=, -terse, -O --output-file=>, --input-directory=, --output-directory=>, --logfile=>, --onlylog, --nolog, --configfile=<, --tool",
        )]),
        changes,
        &[
            ex("bibtex paper", &["write:workspace"]),
            ex(
                "makeindex -o .git/hooks/pre-commit a.idx",
                &["write:version_control", "write:workspace"],
            ),
        ],
    ),
    model(
        &["plantuml"],
        &single(&[list(
            "-tpng, -tsvg, -ttxt, -tutxt, -tpdf, -teps, -tlatex, -txmi, -thtml, -o -output=>, -v -verbose, -charset=, -config=<, -nometadata, -quiet, -checkonly, -syntax, -failfast, -failfast2, -nbthread=, -theme=, \
             -progress, -duration, -version, -help, -testdot, -pipe -p, -stdrpt, -noerror, -darkmode",
        )]),
        |report, parsed| match parsed.has("-pipe") {
            true => reads(report, parsed),
            false => changes(report, parsed),
        },
        &[
            ex("plantuml -tsvg a.puml", &["write:workspace"]),
            ex("plantuml -graphvizdot ./x a.puml", &["unmodelled", "write:workspace"]),
        ],
    ),
    model(
        &["mmdc"],
        &gnu(&[list(
            "-i --input=<, -o --output=>, -t --theme=, -w --width=, -H --height=, -b --backgroundColor=, -s --scale=, -q --quiet, -f --pdfFit, -e --outputFormat=, -c --configFile=<, -C --cssFile=<, -I --svgId=, \
             -a --artefacts=>, -p --puppeteerConfigFile=, --iconPacks=, -V, -h",
        )]),
        |report, parsed| {
            reads(report, parsed);
            if !parsed.has("-o") {
                parsed.values("-i").for_each(|file| report.writes(file));
            }
            if parsed.has("-p") || parsed.has("--iconPacks") {
                report.not_understood("its settings name a program, or what is fetched");
            }
        },
        &[
            ex("mmdc -i a.mmd -o a.svg", &["write:workspace"]),
            ex("mmdc -pevil.json -i a.mmd -o a.svg", &["unmodelled", "write:workspace"]),
        ],
    ),
    model(
        &["ocrmypdf", "pdfcrop", "pdfjam"],
        &gnu(&[list("-l=, -q, -f, --force-ocr, --skip-text, --margins=")]),
        reads_writes_last,
        &[ex("ocrmypdf a.pdf b.pdf", &["write:workspace"])],
    ),
];

/// All options, so that none is taken for a shortened other.
const PANDOC: Grammar = gnu(&[list(
    "-f -r --from --read=, -t -w --to --write=, -o --output=>, --data-dir=, -M --metadata=, --metadata-file=<, -d --defaults=, --file-scope[=], --sandbox[=], -s, --standalone[=], --template=<, -V --variable=, --variable-json=, --wrap=, \
     --ascii[=], --toc --table-of-contents[=], --toc-depth=, --lof[=], --lot[=], -N, --number-sections[=], --number-offset=, --top-level-division=, --extract-media=>, --resource-path=, -H --include-in-header=<, \
     -B --include-before-body=<, -A --include-after-body=<, --no-highlight, --highlight-style=<, --syntax-definition=<, --syntax-highlighting=<, --dpi=, --eol=, --columns=, -p, --preserve-tabs[=], --tab-stop=, --pdf-engine=, \
     --pdf-engine-opt=, --reference-doc=<, --self-contained[=], --embed-resources[=], --link-images[=], --request-header=, --no-check-certificate[=], --abbreviations=<, --indented-code-classes=, --default-image-extension=, \
     -F --filter=, -L --lua-filter=, --shift-heading-level-by=, --base-header-level=, --track-changes=, --strip-comments[=], --reference-links[=], --reference-location=, --figure-caption-position=, --table-caption-position=, \
     --markdown-headings=, --atx-headers, --list-tables[=], --listings[=], -i, --incremental[=], --slide-level=, --section-divs[=], --html-q-tags[=], --email-obfuscation=, --id-prefix=, -T --title-prefix=, -c --css=<, \
     --epub-subdirectory=, --epub-cover-image=<, --epub-title-page[=], --epub-metadata=<, --epub-embed-font=<, --split-level=, --epub-chapter-level=, --chunk-template=, --ipynb-output=, -C --citeproc, --bibliography=<, --csl=<, \
     --citation-abbreviations=<, --natbib, --biblatex, --mathml, --webtex[=], --mathjax[=], --katex[=], --gladtex, --trace[=], --dump-args[=], --ignore-args[=], --verbose, --quiet, --fail-if-warnings[=], --log=>, --bash-completion, \
     --list-input-formats, --list-output-formats, --list-extensions[=], --list-highlight-languages, --list-highlight-styles, -D --print-default-template=, --print-default-data-file=, --print-highlight-style=, -v, -h",
)]);

/// Programs that `pandoc` may run to make a PDF.
const ENGINES: &[&str] = &[
    "pdflatex", "lualatex", "xelatex", "latexmk", "tectonic", "wkhtmltopdf", "weasyprint",
    "pagedjs-cli", "prince", "context", "groff", "pdfroff", "typst",
];

/// The effects of `pandoc`.
fn pandoc(report: &mut Report<'_>, parsed: &Parsed<'_>) {
    for option in ["-d", "-F", "-L", "--data-dir", "--pdf-engine-opt", "--webtex"] {
        if parsed.has(option) {
            report.not_understood(format!("its option `{option}` may run or read more"));
        }
    }
    // A form may be the name of a script, and a name of an engine that of any program.
    let is_form = |char: char| char.is_ascii_alphanumeric() || "+-_".contains(char);
    let forms = ["-f", "-t"].iter().flat_map(|option| parsed.values(option));
    let mut forms =
        forms.map(|form| form.value.as_known().is_some_and(|form| form.chars().all(is_form)));
    if forms.any(|is_plain| !is_plain) {
        report.not_understood("its form may be a script");
    }
    let mut engines = parsed.values("--pdf-engine").map(|engine| engine.value.as_known());
    if engines.any(|engine| !engine.is_some_and(|engine| ENGINES.contains(&engine))) {
        report.not_understood("its engine may be any program");
    }
    let texts = || ["-V", "-M", "--variable-json"].iter().flat_map(|option| parsed.values(option));
    if texts().any(|text| {
        text.value.prefix().contains('\\')
            || text.value.as_known().is_none() && text.value.prefix().is_empty()
    }) {
        report.not_understood("a variable of it may be code");
    }
    for text in texts() {
        for key in ["bibliography", "csl", "css", "citation-abbreviations", "template"] {
            for sign in ["=", ":"] {
                if let Some(file) = behind(text, &format!("{key}{sign}")) {
                    report.reads(&file);
                }
            }
        }
    }
    for word in &parsed.operands {
        if word.value.prefix().contains("://") {
            web::fetch(report, word, Payload::None);
        } else {
            report.reads(word);
        }
    }
}

/// Options of the programs of poppler.
const POPPLER: Grammar = single(&[list(
    "-f=, -l=, -r=, -rx=, -ry=, -x=, -y=, -W=, -H=, -sz=, -layout, -fixed=, -raw, -nodiag, -htmlmeta, -tsv, -bbox, -bbox-layout, -enc=, -eol=, -nopgbrk, -colspacing=, -opw=, -upw=, -q, -v, -h, -cropbox, -listenc, \
     -o, -e, -singlefile, -scale-to=, -scale-to-x=, -scale-to-y=, -hide-annotations, -mono, -gray, -sep=, -forcenum, -png, -jpeg, -jpegcmyk, -jpegopt=, -overprint, -tiff, -tiffcompression=, -thinlinemode=, -aa=, -aaVector=, \
     -progress, -svg, -pdf, -ps, -eps, -transp, -antialias=, -box, -meta, -js, -struct, -struct-text, -isodates, -rawdates, -dests, -url, -custom",
)]);

/// It writes the second operand, or a file beside the first.
fn first_to_second(report: &mut Report<'_>, parsed: &Parsed<'_>) {
    match parsed.operands.len() {
        1 => changes(report, parsed),
        _ => reads_first_writes_second(report, parsed),
    }
}

/// The effects of `qpdf`.
fn qpdf(report: &mut Report<'_>, parsed: &Parsed<'_>) {
    let is_more = |word: &&Argument| {
        let text = word.value.prefix();
        text.starts_with('@') || text.len() > 1 && text.starts_with('-')
    };
    if parsed.operands.iter().any(|word| is_more(&word) && word.value.as_known() != Some("--"))
        || parsed.has("--job-json-file")
    {
        report.not_understood("its options stand in a file, or in another place");
    }
    match parsed.operands.len() {
        _ if parsed.has("--replace-input") => changes(report, parsed),
        1 => reads(report, parsed),
        _ => reads_writes_last(report, parsed),
    }
}

/// A document runs as a program does. What it writes bears the name of the job.
fn tex(report: &mut Report<'_>, parsed: &Parsed<'_>) {
    for word in &parsed.operands {
        if word.value.prefix().contains(['\\', '&', '*']) {
            report.not_understood("it may run commands");
        }
        report.reads(word);
    }
    report.add(Effect::Code { from: CodeFrom::File });
    let folders = ["-output-directory", "-outdir", "-auxdir", "-o"];
    let folders: Vec<&Argument> = folders.iter().flat_map(|option| parsed.values(option)).collect();
    let job = parsed.value("-jobname").map(|job| &job.value);
    let name = match job {
        Some(Value::Known(name)) => name,
        Some(_) => {
            let value = Value::Unknown(Origin::Other);
            return report.writes(&Argument::new(value, report.invocation.span.clone()));
        }
        None => "document.pdf",
    };
    if folders.is_empty() || name.starts_with('/') {
        report.path(Access::Write, name);
    }
    for folder in folders {
        report.writes(&within(folder, name));
    }
}
