//! Hosts, ports and files among the arguments of a call.

use super::abstract_value::AbstractValue;
use crate::value::{Origin, Value};

/// The path of a file that was opened somewhere in a value.
pub(super) fn opened(value: &AbstractValue, depth: usize) -> Option<Value> {
    match value {
        AbstractValue::Path(path, made) if path.starts_with("open()") || path.contains("read") => {
            Some(made.first()?.value())
        }
        AbstractValue::Path(_, all) | AbstractValue::List(all) if depth > 0 => {
            all.iter().find_map(|value| opened(value, depth - 1))
        }
        AbstractValue::Map(all) if depth > 0 => {
            all.iter().find_map(|(_, value)| opened(value, depth - 1))
        }
        _ => None,
    }
}

/// Host and port of what stands between other arguments: `("host", 80)`, `"host", 80`, options.
pub(super) fn address(arguments: &[AbstractValue]) -> (Value, Option<u16>) {
    let mut host = None;
    let mut port = None;
    let mut take = |operand: &AbstractValue| match operand {
        AbstractValue::Number(number) if port.is_none() => port = u16::try_from(*number).ok(),
        AbstractValue::Text(value) if host.is_none() => host = Some(value.clone()),
        // A port may be written as a text.
        AbstractValue::Text(Value::Known(text)) if port.is_none() => port = text.parse().ok(),
        _ => {}
    };
    for operand in arguments {
        match operand {
            AbstractValue::List(all) => all.iter().for_each(&mut take),
            AbstractValue::Map(all) => {
                let names = [
                    "host", "hostname", "port", "path", "PeerAddr", "PeerHost", "PeerPort",
                    "LocalPort",
                ];
                let named = all.iter().filter(|(name, _)| names.contains(&name.as_str()));
                named.for_each(|(_, operand)| take(operand));
            }
            operand => take(operand),
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
