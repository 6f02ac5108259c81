//! Hosts, ports and files among the arguments of a call.

use super::super::value::{Origin, Value};
use super::thing::Thing;

/// The path of a file that was opened somewhere in a thing.
pub(super) fn opened(thing: &Thing, depth: usize) -> Option<Value> {
    match thing {
        Thing::Path(path, made) if path.starts_with("open()") || path.contains("read") => {
            Some(made.first()?.value())
        }
        Thing::Path(_, all) | Thing::List(all) if depth > 0 => {
            all.iter().find_map(|thing| opened(thing, depth - 1))
        }
        Thing::Map(all) if depth > 0 => all.iter().find_map(|(_, thing)| opened(thing, depth - 1)),
        _ => None,
    }
}

/// Host and port of what stands between other arguments: `("host", 80)`, `"host", 80`, options.
pub(super) fn address(given: &[Thing]) -> (Value, Option<u16>) {
    let mut host = None;
    let mut port = None;
    let mut take = |thing: &Thing| match thing {
        Thing::Number(number) if port.is_none() => port = u16::try_from(*number).ok(),
        Thing::Text(value) if host.is_none() => host = Some(value.clone()),
        // A port may be written as a text.
        Thing::Text(Value::Known(text)) if port.is_none() => port = text.parse().ok(),
        _ => {}
    };
    for thing in given {
        match thing {
            Thing::List(all) => all.iter().for_each(&mut take),
            Thing::Map(all) => {
                let names = [
                    "host",
                    "hostname",
                    "port",
                    "path",
                    "PeerAddr",
                    "PeerHost",
                    "PeerPort",
                    "LocalPort",
                ];
                let named = all.iter().filter(|(name, _)| names.contains(&name.as_str()));
                named.for_each(|(_, thing)| take(thing));
            }
            thing => take(thing),
        }
    }
    let host = host.unwrap_or(Value::Unknown(Origin::Other));
    match &host {
        Value::Known(text) if text.contains(':') || text.contains('/') => {
            let (host, found) = host_of(&host);
            (host, port.or(found))
        }
        _ => (host, port),
    }
}

/// Host and port of an address, as far as they are known.
pub(super) fn host_of(url: &Value) -> (Value, Option<u16>) {
    let text = match url {
        Value::Known(text) | Value::Prefix(text, _) => text,
        _ => return (Value::Unknown(Origin::Other), None),
    };
    let rest = text.split_once("://").map_or(text.as_str(), |(_, rest)| rest);
    let (place, ended) = match rest.find(['/', '?', '#']) {
        Some(end) => (&rest[..end], true),
        None => (rest, matches!(url, Value::Known(_))),
    };
    let place = place.rsplit_once('@').map_or(place, |(_, place)| place);
    if !ended {
        let origin = url.origin().cloned().unwrap_or(Origin::Other);
        return (Value::known(place).then(Value::Unknown(origin)), None);
    }
    match place.rsplit_once(':') {
        Some((host, port)) if port.parse::<u16>().is_ok() => {
            (Value::known(host), port.parse().ok())
        }
        _ => (Value::known(place), None),
    }
}
