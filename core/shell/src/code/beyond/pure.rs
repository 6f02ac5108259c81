//! Functions that only compute, by their names, and modules of which no function touches a file by
//! its name.

use super::super::Language;

/// Names of functions and methods that compute, look or print, whatever they belong to. Sorted.
pub(super) const NAMES: &[&str] = &[
    "ArgumentParser", "BytesIO", "Counter", "Error", "Exception", "OrderedDict", "Path",
    "Pathname", "PurePath", "PurePosixPath", "RegExp", "Regexp", "StringIO", "URL",
    "URLSearchParams", "abort", "abspath", "add", "addEventListener", "add_argument", "add_parser",
    "addslashes", "all", "any", "append", "ascii", "assert", "assertEqual", "base64_encode",
    "basename", "bin", "bool", "byte", "bytearray", "bytes", "callable", "capitalize", "casefold",
    "catch", "center", "chr", "classmethod", "commonpath", "commonprefix", "compare", "compile",
    "complex", "concat", "constant", "contains", "count", "crc32", "createHash", "date", "debug",
    "decode", "decodeURI", "decodeURIComponent", "deepEqual", "defaultdict", "define", "defined",
    "delete_prefix", "delete_suffix", "deque", "dict", "die", "digest", "dir", "directory?",
    "dirname", "discard", "divmod", "dumps", "each", "each_with_index", "echo", "emit", "encode",
    "encodeURI", "encodeURIComponent", "end", "end_with", "end_with?", "endsWith", "endswith",
    "entries", "enumerate", "equal", "equals", "error", "escape", "escape_string", "every",
    "exist?", "exists", "exists?", "exit", "expand_path", "expanduser", "expandvars", "explode",
    "extend", "extname", "fail", "fetch", "field", "file?", "file_exists", "filter", "find",
    "findall", "finditer", "flatMap", "float", "fnmatch", "forEach", "format", "fputs", "from",
    "fromEntries", "fromstring", "frozenset", "fullmatch", "fwrite", "get", "getmtime", "getsize",
    "glob", "gmatch", "group_by", "gsub", "gsub!", "has", "has_key", "has_key?", "hasattr", "hash",
    "help", "hex", "hexdigest", "htmlspecialchars", "id", "implode", "in_array", "include?",
    "includes", "includes?", "index", "indexOf", "info", "inject", "input", "insert", "int",
    "isAbsolute", "isArray", "is_absolute", "is_dir", "is_file", "is_relative_to", "isabs",
    "isdir", "isfile", "isinstance", "islink", "issubclass", "iter", "join", "joinpath", "key?",
    "keys", "lastIndexOf", "lcfirst", "len", "length", "list", "ljust", "localeCompare", "log",
    "lstrip", "maketrans", "map", "match", "match?", "matchAll", "max", "md5", "memoryview", "min",
    "namedtuple", "next", "normalize", "normpath", "number_format", "object", "oct", "off", "ok",
    "on", "once", "ord", "p", "padEnd", "padStart", "parse", "parse_qs", "parse_url", "partial",
    "partition", "pathinfo", "pop", "pow", "pp", "print", "print_r", "printf", "println",
    "property", "push", "puts", "querySelector", "quote", "quote_plus", "quotemeta", "raise",
    "range", "realpath", "reduce", "reject", "relative", "relative_to", "relpath", "removeprefix",
    "removesuffix", "rep", "replace", "replaceAll", "repr", "require_version", "reversed", "rfind",
    "rglob", "rindex", "rjust", "round", "rpartition", "rsplit", "rstrip", "safe_load",
    "safe_load_all", "safe_substitute", "scalar", "search", "select", "serialize", "set",
    "set_defaults", "setattr", "setdefault", "sha1", "sha256", "shellescape", "shelljoin",
    "sizeof", "slice", "some", "sort", "sort_by", "sorted", "split", "splitdrive", "splitext",
    "splitlines", "sprintf", "start_with", "start_with?", "startsWith", "startswith",
    "staticmethod", "str", "strictEqual", "stringify", "strip", "sub", "sub!", "subn",
    "substitute", "substr", "sum", "super", "test", "then", "title", "toString", "tonumber",
    "tostring", "trace", "translate", "trigger_error", "trim", "trimEnd", "trimStart", "tuple",
    "type", "ucfirst", "unquote", "unshift", "update", "url2pathname", "urlencode", "urljoin",
    "urlparse", "urlsplit", "values", "vars", "vsprintf", "warn", "which", "with_name",
    "with_stem", "with_suffix", "write", "write_bytes", "write_text", "writelines", "zfill", "zip",
];

/// Modules of which no function reads or writes a file that it is given the name of.
pub(super) const MODULES: &[(Language, &[&str])] = &[
    (
        Language::Python,
        &[
            "re", "json", "string", "math", "os.path", "posixpath", "ntpath", "textwrap",
            "collections", "itertools", "functools", "argparse", "base64", "binascii", "hashlib",
            "hmac", "urllib.parse", "html", "fnmatch", "difflib", "datetime", "pprint", "copy",
            "struct", "random", "shlex", "types", "enum", "dataclasses", "decimal", "statistics",
            "time", "uuid", "sys.stdout", "sys.stderr", "sys.exit", "pathlib", "ast", "platform",
            "optparse", "getopt", "unicodedata", "traceback", "warnings.warn", "operator", "heapq",
            "bisect", "csv", "packaging",
        ],
    ),
    (
        Language::JavaScript,
        &[
            "path", "url", "util", "querystring", "assert", "JSON", "Math", "Object", "Array",
            "String", "Number", "console", "Buffer", "crypto", "os", "events", "process.stdout",
            "process.stderr", "process.exit", "RegExp", "Symbol", "Map", "Set", "Promise", "Intl",
            "Date",
        ],
    ),
    (
        Language::Ruby,
        &["Shellwords", "URI", "JSON", "Digest", "Base64", "Regexp", "Set", "Time", "Date", "Math"],
    ),
    (Language::Lua, &["string", "table", "math", "utf8"]),
];
