//! Links that are secrets by themselves: webhooks and endpoints with a token in their path.
//!
//! Sources: the vendors' pages on incoming webhooks (Slack, Discord, Microsoft Teams, Zapier,
//! Make, IFTTT, Telegram, Feishu, Mattermost, Healthchecks, PagerDuty, Datadog, Netlify, Vercel)
//! and on node endpoints (Infura, Alchemy, QuickNode, Ankr).

use super::super::super::hit::{Confidence, Hit, Until};
use super::super::super::until;
use super::super::judge;
use super::standin;

/// How a token stands in the path of a host.
struct Hook {
    /// The end of the host's name.
    host: &'static [u8],
    /// What the path holds directly before the token, and the parts that follow it there.
    mark: &'static [u8],
    /// How many parts of the path stand between the mark and the token.
    skip: usize,
    /// True if the rest of the path belongs to the token.
    rest: bool,
    /// The shortest token.
    least: usize,
}

const fn hook(
    host: &'static [u8],
    mark: &'static [u8],
    skip: usize,
    rest: bool,
    least: usize,
) -> Hook {
    Hook { host, mark, skip, rest, least }
}

const HOOKS: &[Hook] = &[
    // The whole path counts: the numbers in it tell the workspace and the channel.
    hook(b"hooks.slack.com", b"/", 0, true, 30),
    hook(b"hooks.slack-gov.com", b"/", 0, true, 30),
    hook(b"discord.com", b"/webhooks/", 0, true, 40),
    hook(b"discordapp.com", b"/webhooks/", 0, true, 40),
    hook(b"webhook.office.com", b"/webhook", 1, true, 20),
    hook(b"outlook.office.com", b"/webhook/", 0, true, 20),
    hook(b"outlook.office365.com", b"/webhook/", 0, true, 20),
    hook(b"hooks.zapier.com", b"/catch/", 1, false, 5),
    hook(b"hook.integromat.com", b"/", 0, false, 16),
    hook(b".make.com", b"/", 0, false, 24),
    hook(b"maker.ifttt.com", b"/key/", 0, false, 16),
    hook(b"maker.ifttt.com", b"/use/", 0, false, 16),
    hook(b"api.telegram.org", b"/bot", 0, false, 30),
    hook(b"api.telegram.org", b"/file/bot", 0, false, 30),
    hook(b"open.feishu.cn", b"/hook/", 0, false, 20),
    hook(b"open.larksuite.com", b"/hook/", 0, false, 20),
    hook(b"events.pagerduty.com", b"/integration/", 0, false, 32),
    hook(b"datadoghq.com", b"/v1/input/", 0, false, 32),
    hook(b"api.netlify.com", b"/build_hooks/", 0, false, 16),
    hook(b"api.vercel.com", b"/deploy/", 1, false, 8),
    hook(b"api.cloudflare.com", b"/deploy_hooks/", 0, false, 20),
    hook(b"hc-ping.com", b"/", 0, false, 22),
    hook(b"hooks.airtable.com", b"/genericWebhook/", 2, false, 12),
    hook(b"webhook.site", b"/", 0, false, 36),
    hook(b"sctapi.ftqq.com", b"/", 0, false, 16),
    hook(b"api.day.app", b"/", 0, false, 20),
    hook(b"infura.io", b"/v3/", 0, false, 32),
    hook(b"alchemy.com", b"/v2/", 0, false, 20),
    hook(b"alchemyapi.io", b"/v2/", 0, false, 20),
    hook(b"quiknode.pro", b"/", 0, false, 40),
    hook(b"rpc.ankr.com", b"/", 1, false, 64),
    hook(b"getblock.io", b"/", 0, false, 32),
    hook(b"chainstack.com", b"/", 0, false, 32),
    hook(b"p2pify.com", b"/", 0, false, 32),
    hook(b"opsgenie.com", b"/webhook/", 0, false, 30),
    hook(b"chat.zoom.us", b"/hooks/", 0, false, 20),
    hook(b"webhooks.mongodb-stitch.com", b"/incoming_webhook/", 0, false, 20),
    hook(b"splunkcloud.com", b"/generic/", 0, false, 30),
    hook(b"victorops.com", b"/alert/", 0, false, 30),
    hook(b"alert.victorops.com", b"/generic/", 1, false, 20),
];

/// The path of chat servers that anybody may run: Mattermost has 26 letters and digits, Rocket.Chat
/// an id of 17 to 24 and a token of 48.
const OWN: &[u8] = b"/hooks/";

/// The shortest token behind it.
const OWN_TOKEN: usize = 26;

/// How much of a path is read.
const LONGEST: usize = 512;

/// The token in the path of the URL whose host starts at `start`. `url` is what stands there, up to
/// white space, a quote or the next link.
pub(super) fn find(text: &[u8], start: usize, url: &[u8], last: bool) -> Option<Hit> {
    let rest = &text[start..];
    let length = rest.iter().take(255).take_while(|&&b| HOST[usize::from(b)]).count();
    let host = &rest[..memchr::memchr(b':', &rest[..length]).unwrap_or(length)];
    let path = start + length;
    if host.is_empty() || text.get(path) != Some(&b'/') {
        return None;
    }
    if may_be_known(host) {
        let known = HOOKS.iter().filter(|hook| ends_with(host, hook.host));
        if let Some(hit) = known.filter_map(|hook| token(text, path, hook, last)).next() {
            return Some(hit);
        }
    }
    // Where the path is no part of the link, it has to be read.
    (length >= url.len() || has_own(url)).then(|| own(text, path)).flatten()
}

/// True if the link has [`OWN`] in it. Its `k` is rare.
fn has_own(url: &[u8]) -> bool {
    const BEFORE: usize = 4;
    let starts = |at: usize| at.checked_sub(BEFORE).is_some_and(|at| url[at..].starts_with(OWN));
    memchr::memchr_iter(b'k', url).any(starts)
}

/// Which hashes of their last eight bytes the hosts of [`HOOKS`] have, one bit each.
const ENDS: [u64; 16] = {
    let mut ends = [0; 16];
    let mut index = 0;
    while index < HOOKS.len() {
        let end = HOOKS[index].host.last_chunk();
        assert!(end.is_some(), "a host is too short");
        if let Some(end) = end {
            let bit = hash(*end);
            ends[bit / 64] |= 1 << (bit % 64);
        }
        index += 1;
    }
    ends
};

/// A hash below 1,024 of the end of a host, in any case.
const fn hash(end: [u8; 8]) -> usize {
    let folded = u64::from_le_bytes(end) | 0x2020_2020_2020_2020;
    (folded.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 54) as usize
}

/// False for most hosts that are not among [`HOOKS`], and for none that is.
#[inline]
pub(super) fn may_be_known(host: &[u8]) -> bool {
    host.last_chunk().is_some_and(|end| {
        let bit = hash(*end);
        ENDS[bit / 64] >> (bit % 64) & 1 == 1
    })
}

/// What a host and its port are made of.
static HOST: [bool; 256] = {
    let mut host = [false; 256];
    let mut byte = 0;
    while byte < 256 {
        host[byte] =
            (byte as u8).is_ascii_alphanumeric() || matches!(byte as u8, b'.' | b'-' | b':');
        byte += 1;
    }
    host
};

/// True if `host` is `name` or stands below it.
fn ends_with(host: &[u8], name: &[u8]) -> bool {
    host.len() >= name.len() && {
        let (before, end) = host.split_at(host.len() - name.len());
        let whole = before.last().is_none_or(|&b| b == b'.') || name[0] == b'.';
        whole && end.eq_ignore_ascii_case(name)
    }
}

fn token(text: &[u8], path: usize, hook: &Hook, last: bool) -> Option<Hit> {
    let line = line(text, path);
    let mark = memchr::memmem::find(line, hook.mark)?;
    let mut from = mark + hook.mark.len();
    for _ in 0..hook.skip {
        from += line[from..].iter().position(|&b| b == b'/')? + 1;
    }
    let rest = &line[from..];
    let ends = |b: &u8| *b == b'/' && !hook.rest || *b == b'?';
    let length = rest.iter().position(ends).unwrap_or(rest.len());
    let value = trimmed(&rest[..length]);
    let piece = value.rsplit(|&b| b == b'/').find(|part| !part.is_empty())?;
    let drawn = judge::is_stand_in(piece) || standin::is_template(piece);
    let plain = piece.iter().filter(|b| b.is_ascii_digit()).count() == 0 && piece.len() < 20;
    let stands = drawn || piece.iter().all(|b| matches!(b, b'X' | b'x'));
    if value.len() < hook.least || stands || (plain && hook.least > 8) {
        return None;
    }
    let from = path + from;
    let end = from + value.len();
    let open = (end == text.len() && !last).then_some(Until::Token);
    Some(Hit { open, ..Hit::known(from..end, "webhook", Confidence::High) })
}

fn own(text: &[u8], path: usize) -> Option<Hit> {
    let line = line(text, path);
    if line.len() < OWN.len() + OWN_TOKEN {
        return None;
    }
    let from = memchr::memmem::find(line, OWN)? + OWN.len();
    let value = trimmed(line[from..].split(|&b| b == b'?').next()?);
    let mut parts = value.split(|&b| b == b'/');
    let (first, second) = (parts.next()?, parts.next());
    let mixed = |part: &[u8]| {
        part.iter().all(u8::is_ascii_alphanumeric)
            && part.iter().any(u8::is_ascii_digit)
            && part.iter().any(u8::is_ascii_alphabetic)
    };
    let from = path + from;
    let span = match second {
        None if first.len() == OWN_TOKEN && mixed(first) => from..from + OWN_TOKEN,
        Some(token) if first.len() >= 17 && token.len() >= 40 && mixed(token) => {
            from + first.len() + 1..from + first.len() + 1 + token.len()
        }
        _ => return None,
    };
    Some(Hit::known(span, "webhook", Confidence::Medium))
}

/// The path at `path` and its query, as far as the next link.
fn line(text: &[u8], path: usize) -> &[u8] {
    let line = &text[path..text.len().min(path + LONGEST)];
    let belongs =
        |at: usize| is_path(line[at]) && !(line[at] == b':' && line[at..].starts_with(b"://"));
    &line[..(0..line.len()).take_while(|&at| belongs(at)).count()]
}

fn is_path(byte: u8) -> bool {
    until::is_token(byte) || matches!(byte, b'@' | b':' | b'?' | b'&')
}

/// Without what ends a sentence.
fn trimmed(value: &[u8]) -> &[u8] {
    let kept = value.iter().rposition(|b| !matches!(b, b'.' | b':' | b'?' | b'&' | b'/'));
    &value[..kept.map_or(0, |kept| kept + 1)]
}
