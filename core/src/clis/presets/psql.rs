//! `psql`. It is given SQL, which is analysed, and commands of its own, some of which run programs.

use super::{Denied, NONE, Preset};
use crate::clis::adapter::Adapter;

const FILES: &str = "scripts in files: give the text with `-c` or on standard input";
const ELSEWHERE: &str = "another server than the one named, and credentials from elsewhere";
const PROGRAMS: &str = "output into programs";

/// A password is looked for by the name of a server, and goes to its `hostaddr`. A `%` may spell it.
const SERVER: &str =
    r"(?i)\b(hostaddr|passfile|service|servicefile|options|client_encoding)\s*=|[?&][^=&]*%";

pub(super) const PRESET: Preset = Preset {
    name: "psql",
    description: "PostgreSQL",
    optional: &[
        "PGPASSFILE",
        "PGPASSWORD",
        "PGHOST",
        "PGPORT",
        "PGUSER",
        "PGDATABASE",
        "PGSSLMODE",
    ],
    files: &["PGPASSFILE"],
    sets: &[
        ("PAGER", "cat"),
        ("PSQL_PAGER", "cat"),
        ("PSQL_EDITOR", "false"),
        ("PSQLRC", "/dev/null"),
    ],
    timeout_seconds: 60,
    tips: "Give `-c` with one statement, and `--csv` or `-At` for output that is read by a program.",
    values: &[
        "-c",
        "--command",
        "-f",
        "--file",
        "-d",
        "--dbname",
        "-h",
        "--host",
        "-p",
        "--port",
        "-U",
        "--username",
        "-v",
        "--set",
        "--variable",
        "-P",
        "--pset",
        "-o",
        "--output",
        "-L",
        "--log-file",
        "-F",
        "--field-separator",
        "-R",
        "--record-separator",
        "-T",
        "--table-attr",
    ],
    abbreviates: true,
    denied: &[
        Denied::all(&[], FILES).with(&["-f", "--file"]).but("-"),
        Denied::all(&[], PROGRAMS).with(&["-o", "--output", "-L", "--log-file"]).of(r"^\s*\|"),
        Denied::all(&[], ELSEWHERE).of(SERVER),
        Denied::all(&[], ELSEWHERE).with(&["-d", "--dbname"]).of(SERVER),
        Denied::all(&[], PROGRAMS).with(&["-P", "--pset"]).of("(?i)^pager"),
        Denied::all(&[], PROGRAMS).with(&["-v", "--set", "--variable"]).of(r"[`\\]|=\s*\|"),
    ],
    sql: &["-c", "--command"],
    adapter: Adapter::Psql,
    ..NONE
};
