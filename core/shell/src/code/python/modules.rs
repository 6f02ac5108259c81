//! Python modules that do nothing when they are imported: those of the standard library, and
//! packages that many projects have and of which no function runs its arguments. Functions of any
//! other module are asked about where they get more than numbers.

/// Modules of the standard library that do nothing to the world by themselves.
pub(super) const MODULES: &[&str] = &[
    "__future__", "abc", "argparse", "array", "ast", "asyncio", "atexit", "base64", "bdb",
    "binascii", "bisect", "bz2", "calendar", "cmath", "cmd", "codecs", "collections", "colorsys",
    "compileall", "concurrent", "configparser", "contextlib", "contextvars", "copy", "copyreg",
    "cProfile", "csv", "curses", "dataclasses", "datetime", "dbm", "decimal", "difflib", "dis",
    "doctest", "email", "encodings", "enum", "errno", "faulthandler", "filecmp", "fileinput",
    "fnmatch", "fractions", "functools", "gc", "getopt", "getpass", "gettext", "glob", "graphlib",
    "grp", "gzip", "hashlib", "heapq", "hmac", "html", "http", "imaplib", "inspect", "io",
    "ipaddress", "itertools", "json", "keyword", "linecache", "locale", "logging", "lzma",
    "mailbox", "math", "mimetypes", "modulefinder", "netrc", "numbers", "operator", "optparse",
    "pathlib", "pdb", "pkgutil", "platform", "plistlib", "pprint", "profile", "pstats", "pwd",
    "py_compile", "pydoc", "queue", "quopri", "random", "re", "readline", "reprlib", "rlcompleter",
    "sched", "secrets", "select", "selectors", "setuptools", "pkg_resources", "shlex", "site",
    "sqlite3", "ssl", "stat", "statistics", "string", "stringprep", "struct", "symtable", "sys",
    "sysconfig", "tabnanny", "tarfile", "tempfile", "termios", "textwrap", "this", "threading",
    "time", "timeit", "token", "tokenize", "tomllib", "trace", "traceback", "tracemalloc", "tty",
    "turtle", "types", "typing", "unicodedata", "unittest", "urllib", "urllib2", "uuid", "venv",
    "warnings", "wave", "weakref", "wsgiref", "xml", "zipapp", "zipfile", "zipimport", "zlib",
    "zoneinfo", "distutils", "cgi", "StringIO", "ConfigParser", "numpy", "pandas", "yaml", "toml",
    "tomli", "attr", "six", "dateutil", "packaging", "scipy", "matplotlib", "torch", "sklearn",
    "pydantic", "rich", "tqdm", "jsonschema", "lxml", "bs4", "PIL", "tiktoken",
    "typing_extensions", "cryptography", "certifi", "cv2", "urllib3", "tabulate", "colorama",
    "pytz", "tzdata", "orjson", "ujson", "simplejson", "networkx", "seaborn", "polars", "pyarrow",
    "regex", "markupsafe", "more_itertools", "toolz", "humanize", "emoji", "psutil", "typeguard",
    "attrs", "cattrs", "ruamel", "sortedcontainers", "termcolor", "pygments", "markdown", "xxhash",
    "idna", "chardet", "openpyxl",
];
