//! PostgreSQL URLs, in the form that libpq reads.

use std::fmt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use percent_encoding::percent_decode_str;
use tokio_postgres::Config;
use tokio_postgres::config::{ChannelBinding, Host, LoadBalanceHosts, TargetSessionAttrs};

use super::tls::SslMode;
use crate::store::{Error, Kind};

/// Where a PostgreSQL database is and how to log in there.
///
/// Neither `Debug` nor `Display` show the password.
#[derive(Clone, PartialEq, Eq)]
pub struct PostgresUrl {
    pub(super) config: Config,
    pub(super) ssl_mode: SslMode,
    pub(super) ssl_root_cert: Option<PathBuf>,
    pub(super) pool_size: usize,
    shown: String,
}

/// The parameters that may follow `?`, for error messages.
const PARAMETERS: &str = "application_name, channel_binding, connect_timeout, dbname, host, \
     load_balance_hosts, options, password, pool_max_conns, port, sslmode, sslrootcert, \
     target_session_attrs, user";

/// How many connections a pool has if the URL does not say.
const POOL_SIZE: usize = 8;
/// The most connections that a URL may ask for.
const MOST_CONNECTIONS: usize = 1000;

impl PostgresUrl {
    /// Reads what follows `postgres:` or `postgresql:`. A password that the URL does not have is
    /// taken from the environment variable `PGPASSWORD`.
    ///
    /// # Errors
    ///
    /// [`Kind::Path`], naming the part that is wrong and what is accepted, never the password.
    pub(in crate::store) fn parse(rest: &str) -> Result<PostgresUrl, Error> {
        let mut reading = Reading::default();
        reading.url(rest).map_err(|message| Error::new(Kind::Path, "postgres:", message))?;
        Ok(reading.finish())
    }

    /// The same URL with a relative `sslrootcert` starting from `base`.
    pub(in crate::store) fn with_base(mut self, base: Option<&Path>) -> PostgresUrl {
        if let (Some(base), Some(path)) = (base, &self.ssl_root_cert) {
            self.ssl_root_cert = Some(base.join(path));
        }
        self
    }
}

impl fmt::Display for PostgresUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.shown)
    }
}

impl fmt::Debug for PostgresUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("PostgresUrl").field(&self.shown).finish()
    }
}

/// A URL that is being read.
#[derive(Default)]
struct Reading {
    config: Config,
    hosts: Vec<String>,
    ports: Vec<u16>,
    ssl_mode: SslMode,
    ssl_root_cert: Option<PathBuf>,
    pool_size: Option<usize>,
}

type Read<T> = Result<T, String>;

impl Reading {
    fn url(&mut self, rest: &str) -> Read<()> {
        let rest = rest
            .strip_prefix("//")
            .ok_or("`//` must follow the scheme: `postgres://user:password@host:5432/database`")?;
        let (place, parameters) = rest.split_once('?').unwrap_or((rest, ""));
        let (authority, database) = place.split_once('/').unwrap_or((place, ""));
        // Nothing is repeated here: what is on the wrong side may be a password.
        let split_early = parameters.contains('@') && !authority.contains('@');
        if database.contains(['/', '@']) || split_early {
            return Err(
                "the URL is not in the form `postgres://user:password@host:5432/database`; \
                 in a user, password or database write `/` as %2F, `?` as %3F, `@` as %40 and `%` \
                 as %25"
                    .into(),
            );
        }
        let hosts = match authority.rsplit_once('@') {
            None => authority,
            Some((login, hosts)) => {
                self.login(login)?;
                hosts
            }
        };
        self.hosts(hosts)?;
        if !database.is_empty() {
            self.config.dbname(decoded("the database", database)?);
        }
        for parameter in parameters.split('&').filter(|parameter| !parameter.is_empty()) {
            let (name, value) = parameter
                .split_once('=')
                .ok_or("after `?` come parameters in the form `name=value`, joined with `&`")?;
            self.parameter(name, &decoded("a parameter", value)?)?;
        }
        Ok(())
    }

    fn login(&mut self, login: &str) -> Read<()> {
        let (user, password) = login.split_once(':').unwrap_or((login, ""));
        if !user.is_empty() {
            self.config.user(decoded("the user", user)?);
        }
        if !password.is_empty() {
            self.config.password(decoded("the password", password)?);
        }
        Ok(())
    }

    fn hosts(&mut self, hosts: &str) -> Read<()> {
        for part in hosts.split(',').filter(|part| !part.is_empty()) {
            // An IPv6 address stands in brackets.
            let (host, port) = match part.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
                Some((host, port)) => (host, port.strip_prefix(':')),
                None => match part.split_once(':') {
                    Some((host, port)) => (host, Some(port)),
                    None => (part, None),
                },
            };
            self.hosts.push(decoded("the host", host)?);
            self.ports.push(port.map_or(Ok(5432), read_port)?);
        }
        Ok(())
    }

    fn parameter(&mut self, name: &str, value: &str) -> Read<()> {
        let config = &mut self.config;
        match name {
            "user" => drop(config.user(value)),
            "password" => drop(config.password(value)),
            "dbname" => drop(config.dbname(value)),
            "application_name" => drop(config.application_name(value)),
            "options" => drop(config.options(value)),
            "host" => self.hosts = value.split(',').map(str::to_owned).collect(),
            "port" => self.ports = value.split(',').map(read_port).collect::<Read<_>>()?,
            "connect_timeout" => {
                let seconds = whole_number(name, value, 86_400)?;
                if seconds > 0 {
                    config.connect_timeout(Duration::from_secs(seconds));
                }
            }
            "target_session_attrs" => drop(config.target_session_attrs(one_of(
                name,
                value,
                &[("any", TargetSessionAttrs::Any), ("read-write", TargetSessionAttrs::ReadWrite)],
            )?)),
            "load_balance_hosts" => drop(config.load_balance_hosts(one_of(
                name,
                value,
                &[("disable", LoadBalanceHosts::Disable), ("random", LoadBalanceHosts::Random)],
            )?)),
            "channel_binding" => drop(config.channel_binding(one_of(
                name,
                value,
                &[
                    ("disable", ChannelBinding::Disable),
                    ("prefer", ChannelBinding::Prefer),
                    ("require", ChannelBinding::Require),
                ],
            )?)),
            "sslmode" => self.ssl_mode = one_of(name, value, SslMode::NAMES)?,
            "sslrootcert" => self.ssl_root_cert = Some(value.into()),
            "pool_max_conns" => {
                let size = whole_number(name, value, MOST_CONNECTIONS as u64)?;
                self.pool_size = Some(usize::try_from(size).unwrap_or(POOL_SIZE).max(1));
            }
            _ => {
                let name = if is_name(name) { name } else { "?" };
                return Err(format!("there is no parameter `{name}`; accepted are {PARAMETERS}"));
            }
        }
        Ok(())
    }

    fn finish(mut self) -> PostgresUrl {
        if self.hosts.is_empty() {
            self.hosts.push("localhost".into());
        }
        for host in &self.hosts {
            self.config.host(host);
        }
        for port in &self.ports {
            self.config.port(*port);
        }
        if let (None, Some(password)) =
            (self.config.get_password(), std::env::var_os("PGPASSWORD").filter(|p| !p.is_empty()))
        {
            self.config.password(password.as_encoded_bytes());
        }
        if self.config.get_application_name().is_none() {
            self.config.application_name("toolkeep");
        }
        // A peer that is gone without a word is noticed within half a minute.
        self.config
            .keepalives_idle(Duration::from_secs(10))
            .keepalives_interval(Duration::from_secs(5))
            .keepalives_retries(3)
            .tcp_user_timeout(Duration::from_secs(25))
            .ssl_mode(self.ssl_mode.negotiated());
        PostgresUrl {
            shown: shown(&self.config),
            config: self.config,
            ssl_mode: self.ssl_mode,
            ssl_root_cert: self.ssl_root_cert,
            pool_size: self.pool_size.unwrap_or(POOL_SIZE),
        }
    }
}

/// The URL without its password and parameters.
fn shown(config: &Config) -> String {
    let ports = config.get_ports();
    let mut sockets = String::new();
    let mut hosts = Vec::new();
    for (n, host) in config.get_hosts().iter().enumerate() {
        let port = ports.get(n).or(ports.first()).copied().unwrap_or(5432);
        match host {
            Host::Tcp(host) if host.contains(':') => hosts.push(format!("[{host}]:{port}")),
            Host::Tcp(host) => hosts.push(format!("{host}:{port}")),
            Host::Unix(folder) => sockets = format!("?host={}&port={port}", folder.display()),
        }
    }
    let user = config.get_user().map(|user| format!("{user}@")).unwrap_or_default();
    let database = config.get_dbname().or(config.get_user()).unwrap_or_default();
    format!("postgres://{user}{}/{database}{sockets}", hosts.join(","))
}

fn decoded(part: &str, text: &str) -> Read<String> {
    let wrong = || format!("{part} is not valid UTF-8 once its %XX are read");
    let text = percent_decode_str(text).decode_utf8().map_err(|_| wrong())?;
    if text.contains('\0') {
        return Err(format!("{part} contains a NUL character"));
    }
    Ok(text.into_owned())
}

fn read_port(text: &str) -> Read<u16> {
    // What stands here may be a password with an `@` too many, so it is not repeated.
    text.parse().ok().filter(|port| *port > 0).ok_or_else(|| {
        "the port is not a number from 1 to 65535; write `host:5432`, and in a password write `@` \
         as %40 and `:` as %3A"
            .into()
    })
}

fn whole_number(name: &str, value: &str, most: u64) -> Read<u64> {
    value
        .parse()
        .ok()
        .filter(|number| *number <= most)
        .ok_or_else(|| format!("`{name}` is no whole number from 0 to {most}"))
}

fn one_of<T: Copy>(name: &str, value: &str, accepted: &[(&str, T)]) -> Read<T> {
    let found = accepted.iter().find(|(accepted, _)| *accepted == value);
    found.map(|(_, meaning)| *meaning).ok_or_else(|| {
        let names: Vec<_> = accepted.iter().map(|(name, _)| format!("`{name}`")).collect();
        format!("`{name}` is none of {}", names.join(", "))
    })
}

fn is_name(text: &str) -> bool {
    text.len() <= 40 && text.chars().all(|c| c.is_ascii_lowercase() || c == '_')
}
