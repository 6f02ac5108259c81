//! Clients of databases: what their statements do, as far as words of the statements say it.

mod embedded;

use crate::effect::{Certainty, CodeFrom, Effect, Payload};
use crate::invocation::Stdin;
use crate::model::tool::Action::{Call, Database, Fetches, Here, Reads, System, Unknown};
use crate::model::tool::{Tool, tools};
use crate::model::{Parsed, Report};
use crate::models::perform::perform;
use crate::value::{Origin, Value};

/// The tools of this file, each with its options, its commands and its examples.
pub(super) const TABLE: &[Tool] = tools! {
    Gnu "psql pgcli" "-c --command=, -d --dbname=, -f --file=<, -l --list, -v --set --variable=, -V --version, -X --no-psqlrc, -1 --single-transaction, -a --echo-all, \
        -b --echo-errors, -e --echo-queries, -E --echo-hidden, -L --log-file=>, -n --no-readline, -o --output=>, -q --quiet, -s --single-step, -S --single-line, \
        -A --no-align, --csv, -F --field-separator=, -H --html, -P --pset=, -R --record-separator=, -t --tuples-only, -T --table-attr=, -x --expanded, \
        -z --field-separator-zero, -0 --record-separator-zero, -h --host=, -p --port=, -U --username=, -w --no-password, -W --password, -? --help[=]" => Call(sql), Call(connects); [
        "psql --host db.internal -c 'select 1'": "network",
        "psql -U me -d x -tAc 'select count(*) from t'": "network",
        "psql -c 'DROP TABLE users'": "database:destroys network",
        "psql -c '\\! id'": "code:setting network",
        "psql -c \"copy t from program 'id'\"": "code:setting network",
        "psql -f x.sql": "network unmodelled",
        "echo 'truncate t' | psql": "database:destroys network",
        "psql -l": "network",
        "psql -o /etc/x -c 'select 1'": "network write:system",
    ]
    Gnu "mysql mariadb mycli" "-e --execute=, -h --host=, -u --user=, -p --password[=], -P --port=, -D --database=, -N --skip-column-names, -B --batch, -s --silent, -r --raw, -t --table, \
        -v --verbose, -V --version, -S --socket=, -A --no-auto-rehash, --default-character-set=, --defaults-file=<, --defaults-extra-file=<, --protocol=, --ssl-mode=, --tee=>, \
        --pager=!, -f --force, -E --vertical, -X --xml, -H --html, --connect-timeout=, --skip-ssl, -? --help, -q --quick, -C --compress, --local-infile[=], --ssl-ca=<, -w --wait" => Call(sql), Call(connects); [
        "mysql -uroot -psecret db -e 'show tables'": "network",
        "mysql -e 'delete from t'": "database:destroys network",
        "mysql -e 'delete from t where a = 1'": "database network",
        "mysql --pager='cat x' -e 'select 1'": "code:setting network",
    ]
    Single "sqlite3 sqlite litecli duckdb" "-cmd=, -init=<, -csv, -json, -line, -list, -column, -header, -noheader, -html, -table, -box, -markdown, -readonly, -bail, -batch, -interactive, -separator=, -nullvalue=, \
        -quote, -version, --version, -help, -echo, -stats, -safe, -ascii, -tabs, -newline=, -append, -c=, -s=, -f=<, -unsigned, -storage-version=" => Call(embedded::sqlite); [
        "sqlite3 a.db 'select * from t'": "",
        "sqlite3 -header -csv a.db 'select 1'": "",
        "sqlite3 a.db 'drop table t'": "database:destroys write:workspace",
        "sqlite3 a.db 'insert into t values (1)'": "database write:workspace",
        "sqlite3 a.db '.shell id'": "code:setting",
        "sqlite3 /etc/x.db 'create table t (a)'": "database write:system",
        "sqlite3 a.db": "unmodelled",
        "sqlite3 a.db .tables": "",
        "sqlite3 x \"select edit('x','rm -rf /home/user')\"": "code:setting",
        "sqlite3 a.db \"attach '/home/user/x' as h; create table h.t (a)\"": "database unmodelled write:workspace",
        "sqlite3 'file:///etc/x?mode=rw' 'create table t (a)'": "database write:system",
        "duckdb -c \"select * from '/home/user/.ssh/id_rsa'\" x.db": "read:secret",
    ]
    Posix "redis-cli valkey-cli keydb-cli" "-h=, -p=, -s=, -a=, --user=, --pass=, --askpass, -u=, -r=, -i=, -n=, -2, -3, -x, -X=, -d=, -D=, -c, -e, --tls, --sni=, --cacert=<, --cert=<, --key=<, --insecure, --raw, --no-raw, \
        --csv, --json, --quoted-json, --stat, --latency, --latency-history, --latency-dist, --lru-test=, --replica, --rdb=>, --functions-rdb=>, --pipe, --pipe-timeout=, --bigkeys, --memkeys, --hotkeys, \
        --scan, --pattern=, --count=, --quoted-pattern=, --intrinsic-latency=, --eval=<, --ldb, --cluster=, --verbose, --no-auth-warning, --help, --version -v" => Call(redis), Call(connects); [
        "redis-cli -h cache get k": "network",
        "redis-cli FLUSHALL": "database:destroys network",
        "redis-cli set a b": "database network",
        "redis-cli config set dir /etc": "code:setting database network",
        "redis-cli ping": "network",
        "redis-cli frobnicate": "network unmodelled",
    ]
    Gnu "mongosh mongo" "--eval=, --quiet, -f --file=<, --host=, --port=, -u --username=, -p --password[=], --authenticationDatabase=, --nodb, --norc, --shell, --tls, --tlsCAFile=<, --json[=], --version, --authenticationMechanism=, --retryWrites=" => Call(mongo), Call(connects); [
        "mongosh --quiet --eval 'db.t.countDocuments()'": "network",
        "mongosh --eval 'run(1)'": "network unmodelled",
        "mongosh x --eval 'db.dropDatabase()'": "database:destroys network",
    ]
    Gnu "clickhouse-client clickhouse usql mssql-cli sqlcmd cockroach trino presto cqlsh influx bq-sql \
        vertica-sql hdbsql snowsql-cli" "-q --query --execute -Q=, -e=, -h --host=, -S=, -U=, -P=, -d --database=, -u --user=, --password=, --port=, -p=, -C, -c --command=, -f --file --queries-file=<, -i=<, -o=>, \
        --format=, -t --time, -n --multiquery, --secure, -m --multiline, -N --max-rows=, --insecure, --url=, --version, -W, -s=, -b, -l=" => Call(sql), Call(connects); [
        "clickhouse-client -q 'select 1' --format JSON": "network",
        "clickhouse-client -q 'drop table t'": "database:destroys network",
    ]
    Gnu "pg_dump pg_dumpall mysqldump mariadb-dump mongodump mongoexport pg_basebackup" "-f --file=>, -F --format=, -d --dbname --db=, -h --host=, -p --port --password[=], -P=, -U --username=, -u --user=, -w --no-password, -W, -n --schema=, -N=, -t --table=, -T --exclude-table=, \
        -a --data-only, -s --schema-only, -c --clean, -C --create, -O --no-owner, -x --no-privileges --no-acl, -j --jobs=, -Z --compress=, -v --verbose, --if-exists, --inserts, --column-inserts, --no-comments, -g --globals-only, -r --roles-only, \
        --single-transaction, --quick, --lock-tables[=], --no-tablespaces, --databases, -B, --all-databases, -A, --routines, --triggers, --events, --no-data, --no-create-info, --result-file=>, --set-gtid-purged=, --column-statistics[=], \
        --skip-lock-tables, --add-drop-table, --ignore-table=, --where=, --uri=, --collection=, --out -o=>, --gzip, --archive[=], --query -q=, --type=, --fields=, -D --pgdata=>, -X --wal-method=, -R, --hex-blob, --opt, --default-character-set=, --defaults-file=<, --version -V, --exclude-schema=, --extra-float-digits="
        => Fetches(""), Here; ["pg_dump -Fc -f x.dump mydb": "network write:workspace write:workspace:recursive", "mysqldump -u root mydb > /tmp/x.sql": "network write:temp write:workspace:recursive"]
    Gnu "dropdb dropuser" "-e --echo, -f --force, -i --interactive, -h --host=, -p --port=, -U --username=, --if-exists, -w, -W, --maintenance-db=" => Database(true), Fetches(""); ["dropdb x": "database:destroys network"]
    Gnu "createdb createuser pg_restore mongorestore mongoimport mysqlimport vacuumdb reindexdb clusterdb" "-e --echo, -h --host=, -p --port=, -U --username=, -O --owner=, -E --encoding=, -T --template=, -d --dbname --db=, -s --superuser, -P --pwprompt, -c --clean, -C --create, -j --jobs=, -v --verbose, \
        --if-exists, --no-owner, -x --no-privileges, -a --data-only, -1 --single-transaction, -F --format=, -n=, -t=, -l --list, -f --file=, -w, -W, --drop, --uri=, --collection=, --gzip, --archive[=], --type=, --jsonArray, --headerline, -z, -Z, --all, --locale=, -D, -R, -S"
        => Reads, Database(false), Fetches(""), crate::model::tool::Action::If("-c --drop", &[Database(true)]); ["createdb x": "database network", "pg_restore --clean -d x x.dump": "database database:destroys network"]
    Gnu "pg_isready mysqladmin pg_config pg_lsclusters pgbench mongostat mongotop" "-h --host=, -p --port=, -U --username=, -d --dbname=, -q --quiet, -t --timeout=, -u --user=, --bindir, --includedir, --libdir, --version, -i=, -c=, -j=, -T=, -n=, -s=" => Call(admin); [
        "pg_isready -h db": "network",
        "mysqladmin -u root drop x": "database:destroys network",
    ]
    Posix "pg_ctl initdb pg_createcluster pg_dropcluster pg_ctlcluster mysqld mongod redis-server postgres" => System(crate::effect::SystemChange::Service), Unknown("a server reads settings that run programs"); ["mongod": "system:service unmodelled"]
    Operands "flyway liquibase dbmate migrate atlas sqitch sqlx diesel sea-orm-cli sqlc-migrate alembic-cli" => Call(migrates); [
        "sqlx migrate run": "code:project database network write:workspace:recursive",
        "flyway clean": "code:project database:destroys network write:workspace:recursive",
    ]
};

/// What statements do: none of it, or the worst.
struct Statements {
    /// They change data.
    changes: bool,
    /// They delete data.
    destroys: bool,
    /// They run a command.
    runs: bool,
    /// They read or write files.
    files: bool,
}

/// Looks at the words of statements. Texts and comments within them count as if they were words: that can
/// only make it stricter.
fn statements(text: &str) -> Statements {
    let lower = text.to_ascii_lowercase();
    let mut all = Statements { changes: false, destroys: false, runs: false, files: false };
    for statement in lower.split(';') {
        let words: Vec<&str> = statement
            .split(|char: char| !char.is_alphanumeric() && !matches!(char, '_' | '\\' | '.' | '!'))
            .filter(|word| !word.is_empty())
            .collect();
        let has = |word: &str| words.contains(&word);
        all.destroys |= has("drop")
            || has("truncate")
            || has("delete") && !has("where")
            || has("purge")
            || has("flush") && has("tables");
        let changes = [
            "insert", "update", "delete", "create", "alter", "grant", "revoke", "replace", "merge",
            "rename", "vacuum", "set", "call", "do", "copy", "load", "attach", "into", "refresh",
            "reindex", "lock", "optimize", "kill", "import",
        ];
        all.changes |= changes.iter().any(|word| has(word));
        // A script that does more than ask its database is not looked into.
        let runs = [
            "program", "\\!", "system", "xp_cmdshell", "sys_exec", "load_extension", "plpython3u",
            "plpythonu", "plperlu", "plsh", "\\e", "\\ef", "dblink", "sp_oacreate", "executable",
            "plpgsql_exec", "sp_execute_external_script",
        ];
        all.runs |= runs.iter().any(|word| {
            words
                .iter()
                .any(|other| other == word || word.starts_with('\\') && other.starts_with(word))
        });
        let files = [
            "pg_read_file", "pg_read_binary_file", "pg_ls_dir", "lo_import", "lo_export",
            "pg_write_file", "outfile", "dumpfile", "load_file", "infile", "\\copy", "\\o", "\\i",
            "\\ir", "\\g", "\\w", "writefile", "readfile", "tee", "source", "file", "url",
            "read_csv", "read_text", "read_parquet", "pg_stat_file", "bulk", "openrowset",
        ];
        all.files |= files.iter().any(|word| has(word))
            || has("copy") && !has("stdin") && !has("stdout") && !has("program");
    }
    all
}

/// Reports the effects of statements.
fn report_statements(report: &mut Report<'_>, text: &str) -> Statements {
    let found = statements(text);
    if found.runs {
        report.add(Effect::Code {
            from: CodeFrom::Setting("a command within its statements".to_owned()),
        });
    }
    if found.files {
        report.not_understood("its statements name files");
    }
    if found.destroys {
        report.add(Effect::Database { destroys: true });
    } else if found.changes && !found.runs {
        report.add(Effect::Database { destroys: false });
    }
    found
}

/// Texts of options, or of standard input.
fn texts(report: &Report<'_>, parsed: &Parsed<'_>, options: &[&str]) -> Vec<Value> {
    let given: Vec<Value> = options
        .iter()
        .flat_map(|option| parsed.values(option))
        .map(|word| word.value.clone())
        .collect();
    match &report.invocation.stdin {
        _ if !given.is_empty() => given,
        Stdin::Inherited => Vec::new(),
        Stdin::Text(text) => vec![text.clone()],
        Stdin::Rest(_) | Stdin::File(_) | Stdin::Pipe(_) | Stdin::Unknown => {
            vec![Value::Unknown(Origin::Input)]
        }
    }
}

/// The effects of a client of SQL.
fn sql(report: &mut Report<'_>, parsed: &Parsed<'_>) {
    let mut all = texts(report, parsed, &["-c", "-e", "-q"]);
    if parsed.has("-f") || parsed.has("-i") && report.name() == "sqlcmd" {
        all.push(Value::Unknown(Origin::Input));
    }
    for text in all {
        match text.as_known() {
            Some(text) => {
                report_statements(report, text);
            }
            None => report.not_understood("what its statements do is not known"),
        }
    }
}

/// The host that an option names.
fn connects(report: &mut Report<'_>, parsed: &Parsed<'_>) {
    if parsed.has("-V") || parsed.has("--version") {
        return;
    }
    let host = ["-h", "--host", "-S", "-u"].iter().find_map(|option| parsed.value(option));
    let host = host.map_or(Value::known("localhost"), |word| word.value.clone());
    report.add(Effect::Network { host, port: None, fetches: true, sends: Payload::None });
}

/// The effects of `redis-cli`.
fn redis(report: &mut Report<'_>, parsed: &Parsed<'_>) {
    /// Commands of Redis that read.
    const READS: &[&str] = &[
        "get", "mget", "keys", "scan", "exists", "ttl", "pttl", "type", "strlen", "hget",
        "hgetall", "hkeys", "hvals", "hlen", "hmget", "hscan", "hexists", "lrange", "llen",
        "lindex", "smembers", "scard", "sismember", "sscan", "zrange", "zcard", "zscore", "zscan",
        "zrangebyscore", "zcount", "xlen", "xrange", "xinfo", "info", "ping", "echo", "dbsize",
        "time", "memory", "object", "lastsave", "role", "command", "latency", "slowlog",
        "getrange", "bitcount", "getbit", "randomkey", "select", "auth", "hello", "pubsub",
        "monitor", "subscribe", "psubscribe", "geopos", "geodist", "json.get", "ft.search",
        "ft.info", "readonly",
    ];
    /// Commands of Redis that change data.
    const CHANGES: &[&str] = &[
        "set", "setex", "setnx", "mset", "del", "unlink", "expire", "persist", "incr", "decr",
        "incrby", "decrby", "append", "hset", "hmset", "hdel", "hincrby", "lpush", "rpush", "lpop",
        "rpop", "lrem", "ltrim", "sadd", "srem", "zadd", "zrem", "xadd", "xdel", "rename",
        "publish", "getset", "setrange", "pexpire", "touch", "copy", "move", "save", "bgsave",
        "bgrewriteaof", "json.set", "ft.create", "xtrim", "spop", "zincrby", "geoadd", "pfadd",
        "getdel",
    ];
    if parsed.has("--eval") || parsed.has("--pipe") || parsed.has("--cluster") {
        report.not_understood("what it is told to do is not known");
    }
    let words: Vec<String> = parsed
        .operands
        .iter()
        .take(2)
        .map(|word| word.value.prefix().to_ascii_lowercase())
        .collect();
    let Some(name) = words.first().map(String::as_str) else {
        if !matches!(report.invocation.stdin, Stdin::Inherited) {
            report.not_understood("what it reads and runs is not known");
        }
        return;
    };
    let second = words.get(1).map_or("", String::as_str);
    match name {
        "flushall" | "flushdb" | "shutdown" | "ft.dropindex" | "xgroup" => {
            report.add(Effect::Database { destroys: true })
        }
        "config" | "client" | "acl" | "cluster"
            if [
                "get", "list", "info", "nodes", "getname", "id", "whoami", "slots", "shards",
                "cat", "keyslot", "help",
            ]
            .contains(&second) => {}
        "config" | "module" | "slaveof" | "replicaof" | "eval" | "evalsha" | "script"
        | "function" | "debug" | "migrate" | "acl" => {
            let from = CodeFrom::Setting(format!("`{name}`"));
            report.add(Effect::Code { from });
            report.add(Effect::Database { destroys: false });
        }
        name if READS.contains(&name) => {}
        name if CHANGES.contains(&name) => report.add(Effect::Database { destroys: false }),
        _ => report.not_understood("this command of it is not known"),
    }
}

/// The effects of `mongosh`.
fn mongo(report: &mut Report<'_>, parsed: &Parsed<'_>) {
    let texts = texts(report, parsed, &["--eval"]);
    let runs_file =
        parsed.has("-f") || parsed.operands.iter().any(|word| word.value.prefix().ends_with(".js"));
    if runs_file || texts.iter().any(|text| text.as_known().is_none()) {
        report.not_understood("what its script does is not known");
    }
    for text in texts.iter().filter_map(Value::as_known) {
        let lower = text.to_ascii_lowercase();
        if ["drop", "deletemany", "remove(", "deleteone", "findoneanddelete", "shutdown"]
            .iter()
            .any(|word| lower.contains(word))
        {
            report.add(Effect::Database { destroys: true });
        } else if ["insert", "update", "replace", "create", "rename", "save(", "grant", "write"]
            .iter()
            .any(|word| lower.contains(word))
        {
            report.add(Effect::Database { destroys: false });
        }
        // A script that does more than ask its database is not looked into.
        let runs = [
            "run(", "program", "load(", "require(", "process", "eval(", "import(", "function(",
            "cat(", "file(", "config",
        ];
        if runs.iter().any(|word| lower.contains(word)) {
            report.not_understood("its script reaches out of the database");
        }
    }
}

/// The effects of programs that administer databases.
fn admin(report: &mut Report<'_>, parsed: &Parsed<'_>) {
    let words: Vec<&str> =
        parsed.operands.iter().filter_map(|word| word.value.as_known()).collect();
    if report.name() == "mysqladmin" {
        if words.contains(&"drop") {
            report.add(Effect::Database { destroys: true });
        } else if words.iter().any(|word| {
            ["create", "shutdown", "kill", "password", "reload", "start-replica"].contains(word)
                || word.starts_with("flush")
        }) {
            report.add(Effect::Database { destroys: false });
        }
    }
    let actions: &[_] = if report.name() == "pg_config" { &[] } else { &[Fetches("")] };
    perform(report, parsed, actions, Certainty::Must);
}

/// Programs that bring the shape of a database to that of the project.
fn migrates(report: &mut Report<'_>, parsed: &Parsed<'_>) {
    let words: Vec<&str> =
        parsed.operands.iter().filter_map(|word| word.value.as_known()).collect();
    let destroys = ["clean", "drop", "reset", "drop-all", "down-to", "dropAll", "drop-db"]
        .iter()
        .any(|word| words.contains(word));
    report.add(Effect::Database { destroys });
    use crate::model::tool::Action::{Project, Touches};
    perform(report, parsed, &[Project, Here, Fetches(""), Touches], Certainty::Must);
}
