//! Lua: what its functions do.

use super::Tables;
use super::call_signature::CallSignature;
use crate::effect::Access;

/// What is known of the functions of this language.
pub(super) static TABLES: Tables = Tables {
    calls: CALLS,
    risky: &["os", "io", "debug", "package", "socket", "ffi", "posix", "lfs"],
    harmless: &[
        "os.time", "os.date", "os.clock", "os.exit", "os.difftime", "os.setlocale", "io.write",
        "io.read", "io.stdout", "io.stdin", "io.stderr", "io.close", "io.type", "io.flush",
        "package.path", "package.cpath", "package.loaded", "debug.traceback", "io.open()",
        "io.popen()", "lfs.attributes", "lfs.currentdir", "socket.gettime",
    ],
    modules: &[
        "string", "table", "math", "coroutine", "utf8", "bit", "bit32", "jit", "cjson", "json",
        "lpeg", "inspect",
    ],
    renames: &[("_G.", ""), ("_ENV.", "")],
    environment: &[],
    arguments: &[("arg", -1)],
    reflective: &["_G", "_ENV"],
};

/// What functions do, by their paths.
const CALLS: &[(&str, CallSignature)] = &[
    ("os.execute", CallSignature::Shell),
    ("io.popen", CallSignature::Shell),
    ("os.remove", CallSignature::File(Access::Delete, 0)),
    ("os.rename", CallSignature::Between(Access::Move, Access::Write)),
    ("os.tmpname", CallSignature::Nothing),
    ("os.getenv", CallSignature::Variable),
    ("io.open", CallSignature::Open),
    ("io.lines", CallSignature::File(Access::Read, 0)),
    ("io.input", CallSignature::File(Access::Read, 0)),
    ("io.output", CallSignature::File(Access::Write, 0)),
    ("load", CallSignature::Code(0)),
    ("loadstring", CallSignature::Code(0)),
    ("dofile", CallSignature::Load),
    ("loadfile", CallSignature::Load),
    ("require", CallSignature::Import),
    ("package.loadlib", CallSignature::Dynamic),
    ("posix.fork", CallSignature::Fork),
    ("posix.unistd.fork", CallSignature::Fork),
    ("ffi.C.fork", CallSignature::Fork),
    ("debug.debug", CallSignature::Dynamic),
    ("ffi.C.system", CallSignature::Shell),
    ("socket.tcp", CallSignature::Nothing),
    ("socket.tcp().connect", CallSignature::Connect(0)),
    ("socket.connect", CallSignature::Connect(0)),
    ("socket.bind", CallSignature::Listen),
    ("socket.http.request", CallSignature::Fetch(0)),
    ("lfs.chdir", CallSignature::Folder),
    ("lfs.rmdir", CallSignature::File(Access::Delete, 0)),
    ("lfs.mkdir", CallSignature::File(Access::Write, 0)),
    ("lfs.dir", CallSignature::File(Access::List, 0)),
    ("*.connect", CallSignature::Connect(0)),
    ("print", CallSignature::Nothing),
];
