//! Names of variables, and what each of them takes. A family of names (`NPM_CONFIG_…`) is asked
//! about as a whole, except for those of its members that are listed.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::LazyLock;

use super::options::Kind;

/// What a variable takes, as far as that decides which of its values do no harm.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Takes {
    /// Whatever it is, nothing is run, loaded or written by it.
    Anything,
    /// Nothing that would be known to be harmless.
    Asks,
    /// A switch, a number, or what a name of its family that is not known may be given.
    Switch,
    /// As a switch; or the folder of a cache, if its name says so.
    Family,
    /// The kind of a build or of an environment.
    Kind,
    /// A name or version that is no path.
    Name,
    /// A version, or a program.
    Version,
    /// Where modules of Go are fetched from.
    Proxies,
    /// A place to write to: in the workspace, or a temporary one.
    Place,
    /// A folder from which something is loaded: in the workspace, or where it is anyway.
    Home,
    /// Folders where a compiler looks for what it is to load: as a home, or of the system.
    Library,
    /// Where something is installed: of the system, or where it is anyway.
    Installed,
    /// A program.
    Program,
    /// Options of a compiler.
    Flags,
    /// Options of something else.
    Options(Kind),
}

impl Takes {
    /// True if it takes places.
    pub(super) fn is_place(self) -> bool {
        matches!(self, Takes::Place | Takes::Home | Takes::Library | Takes::Installed)
    }
}

/// Whole names. Of a family only those that take something else than the rest of it.
const WHOLE: &[(Takes, &str)] = &[
    (
        Takes::Anything,
        "PWD OLDPWD USER LOGNAME TERM COLORTERM LANG LANGUAGE TZ DISPLAY WAYLAND_DISPLAY XAUTHORITY \
         SSH_AUTH_SOCK GPG_TTY COLUMNS LINES CI DEBUG VERBOSE NO_COLOR FORCE_COLOR CLICOLOR LS_COLORS GREP_COLORS \
         GREP_COLOR GCC_COLORS HOSTNAME NO_PROXY no_proxy SOURCE_DATE_EPOCH DEBIAN_FRONTEND LESSCHARSET \
         NODE_ENV NODE_NO_WARNINGS NODE_DEBUG NODE_DISABLE_COLORS RUST_LOG RUST_BACKTRACE RUST_LIB_BACKTRACE \
         RUST_MIN_STACK RUST_TEST_THREADS MIX_ENV RAILS_ENV RACK_ENV FLASK_ENV FLASK_DEBUG DJANGO_SETTINGS_MODULE \
         CARGO_INCREMENTAL CARGO_LOG CARGO_TERM_COLOR CARGO_NET_OFFLINE CARGO_NET_RETRY CARGO_NET_GIT_FETCH_WITH_CLI \
         CARGO_BUILD_JOBS CARGO_BUILD_INCREMENTAL CARGO_HTTP_TIMEOUT CARGO_HTTP_MULTIPLEXING CARGO_HTTP_DEBUG \
         CARGO_HTTP_CHECK_REVOKE CARGO_REGISTRY_TOKEN CARGO_REGISTRIES_CRATES_IO_PROTOCOL CARGO_MAKEFLAGS \
         RUSTUP_MAX_RETRIES RUSTUP_LOG RUSTUP_NO_BACKTRACE RUSTUP_IO_THREADS RUSTUP_PERMIT_COPY_RENAME \
         GOOS GOARCH GOARM GOARM64 GOAMD64 GO386 GOMIPS GOMIPS64 GOPPC64 GORISCV64 GOWASM GO111MODULE CGO_ENABLED \
         GOMAXPROCS GOGC GOMEMLIMIT GODEBUG GOTRACEBACK GOEXPERIMENT GOPRIVATE GONOPROXY GONOSUMDB GOFIPS140 \
         GOTELEMETRY GORACE GOHOSTOS GOHOSTARCH GO_VERSION GO_TEST_TIMEOUT_SCALE \
         PIP_QUIET PIP_VERBOSE PIP_PROGRESS_BAR PIP_ROOT_USER_ACTION PIP_EXISTS_ACTION PIP_ONLY_BINARY \
         PIP_NO_BINARY PIP_USE_FEATURE \
         UV_LINK_MODE UV_RESOLUTION UV_PRERELEASE UV_PYTHON_DOWNLOADS UV_PYTHON_PREFERENCE UV_FORK_STRATEGY \
         UV_INDEX_STRATEGY UV_KEYRING_PROVIDER UV_EXCLUDE_NEWER UV_NO_GROUP UV_PUBLISH_TOKEN UV_VERSION \
         PYTHONIOENCODING PYTHONUNBUFFERED PYTHONDONTWRITEBYTECODE PYTHONHASHSEED PYTHONMALLOC PYTHONUTF8 \
         PYTHONCOERCECLOCALE PYTHON_VERSION PYTHON_COLORS PYTHON_GIL PYTHON_JIT \
         POETRY_VIRTUALENVS_CREATE POETRY_NO_INTERACTION POETRY_VERSION PIPENV_VERBOSITY \
         YARN_NODE_LINKER YARN_CHECKSUM_BEHAVIOR YARN_NPM_AUTH_TOKEN YARN_NM_MODE YARN_VERSION YARN_PREFER_OFFLINE \
         YARN_LOG_FILTERS YARN_COMPRESSION_LEVEL PNPM_VERSION BUN_VERSION DENO_AUTH_TOKENS ESLINT_USE_FLAT_CONFIG \
         DENO_NO_UPDATE_CHECK DENO_TLS_CA_STORE DENO_VERSION COREPACK_DEFAULT_TO_LATEST \
         DOTNET_ENVIRONMENT DOTNET_CLI_UI_LANGUAGE DOTNET_ROLL_FORWARD DOTNET_CLI_TELEMETRY_OPTOUT DOTNET_NOLOGO \
         DOTNET_VERSION DOTNET_SYSTEM_GLOBALIZATION_INVARIANT NUGET_XMLDOC_MODE NUGET_AUTH_TOKEN \
         CLOUDSDK_CORE_PROJECT CLOUDSDK_CORE_ACCOUNT CLOUDSDK_CORE_DISABLE_PROMPTS CLOUDSDK_COMPUTE_REGION \
         CLOUDSDK_COMPUTE_ZONE CLOUDSDK_RUN_REGION CLOUDSDK_CONTAINER_CLUSTER CLOUDSDK_ACTIVE_CONFIG_NAME \
         CLOUDSDK_CORE_VERBOSITY CLOUDSDK_BILLING_QUOTA_PROJECT CLOUDSDK_CORE_LOG_HTTP \
         AWS_PROFILE AWS_DEFAULT_PROFILE AWS_REGION AWS_DEFAULT_REGION AWS_DEFAULT_OUTPUT AWS_ACCESS_KEY_ID \
         AWS_SECRET_ACCESS_KEY AWS_SESSION_TOKEN AWS_SDK_LOAD_CONFIG AWS_RETRY_MODE AWS_MAX_ATTEMPTS \
         AZURE_CORE_OUTPUT \
         TF_LOG TF_LOG_CORE TF_LOG_PROVIDER TF_INPUT TF_IN_AUTOMATION TF_WORKSPACE TF_VERSION \
         ANSIBLE_VERBOSITY ANSIBLE_DEPRECATION_WARNINGS ANSIBLE_REMOTE_USER \
         COMPOSE_PROJECT_NAME COMPOSE_PROFILES DOCKER_DEFAULT_PLATFORM DOCKER_BUILDKIT BUILDKIT_PROGRESS \
         CCACHE_MAXSIZE CCACHE_SLOPPINESS CCACHE_UMASK SCCACHE_CACHE_SIZE SCCACHE_LOG \
         SCCACHE_BUCKET SCCACHE_REGION SCCACHE_IDLE_TIMEOUT CMAKE_BUILD_TYPE CMAKE_CONFIG_TYPE \
         CMAKE_OSX_ARCHITECTURES CMAKE_CONFIGURATION_TYPES CMAKE_BUILD_PARALLEL_LEVEL \
         CTEST_OUTPUT_ON_FAILURE CTEST_PARALLEL_LEVEL CMAKE_COLOR_DIAGNOSTICS \
         PERL_UNICODE PERL_HASH_SEED PERL_MM_USE_DEFAULT PERLIO HARNESS_VERBOSE HARNESS_TIMER HARNESS_ACTIVE \
         BUNDLE_WITHOUT BUNDLE_WITH BUNDLE_JOBS BUNDLE_RETRY BUNDLE_FROZEN BUNDLE_DEPLOYMENT BUNDLE_CLEAN \
         BUNDLE_SILENCE_ROOT_WARNING BUNDLE_IGNORE_MESSAGES GEM_SKIP \
         COMPOSER_AUTH COMPOSER_ROOT_VERSION COMPOSER_MEMORY_LIMIT COMPOSER_DISCARD_CHANGES \
         GRADLE_VERSION MAVEN_VERSION JAVA_VERSION KOTLIN_VERSION SBT_VERSION LUA_VERSION \
         HEX_API_KEY HEX_HTTP_TIMEOUT HEX_OFFLINE",
    ),
    (
        Takes::Asks,
        "NPM_EXECPATH npm_execpath npm_node_execpath npm_config_node_options npm_config_git npm_config_userconfig \
         npm_config_globalconfig npm_config_shell npm_config_script_shell npm_config_node_gyp npm_config_editor \
         npm_config_viewer npm_config_browser npm_config_init_module npm_config_global npm_config_location \
         NODE_REPL_EXTERNAL_MODULE NODE_ICU_DATA \
         COMPILER_PATH GCC_EXEC_PREFIX DEPENDENCIES_OUTPUT SUNPRO_DEPENDENCIES RIPGREP_CONFIG_PATH \
         ZIPOPT ZIP UNZIP UNZIPOPT ZIPINFO ZIPINFOOPT TAPE GZIP BZIP2 BZIP XZ_OPT XZ_DEFAULTS RSYNC_PROXY \
         RSYNC_CONNECT_PROG RSYNC_SHELL \
         CARGO_REGISTRY_CREDENTIAL_PROVIDER CARGO_REGISTRY_GLOBAL_CREDENTIAL_PROVIDERS \
         GOENV GOROOT GOAUTH GOCACHEPROG GOTOOLDIR GCCGOTOOLDIR GOVCS GOINSECURE GO_EXTLINK_ENABLED GOSUMDB \
         GONOSUMCHECK GIT_ALLOW_PROTOCOL \
         CGO_CFLAGS_ALLOW CGO_LDFLAGS_ALLOW CGO_CPPFLAGS_ALLOW CGO_CXXFLAGS_ALLOW CGO_FFLAGS_ALLOW \
         CCACHE_PREFIX CCACHE_PREFIX_CPP CCACHE_COMPILER CCACHE_CONFIGPATH CCACHE_COMPILERCHECK \
         CCACHE_EXTRAFILES CCACHE_PATH CMAKE_TOOLCHAIN_FILE CONFIG_SITE SCONSFLAGS \
         DISTCC_HOSTS DISTCC_DIR ICECC_VERSION \
         MSBuildSDKsPath ASPNETCORE_HOSTINGSTARTUPASSEMBLIES COR_PROFILER \
         PYTEST_PLUGINS PIP_LOG PIP_CONFIG_FILE COVERAGE_RCFILE COVERAGE_PROCESS_START \
         PYTHONPLATLIBDIR PYTHONCASEOK PYTHONUSERBASE PYTHON_HISTORY PYTHON_BASIC_REPL IPYTHONDIR JUPYTER_CONFIG_DIR \
         JUPYTER_PATH PIPENV_PIPFILE PYLINTRC MYPYPATH TOX_OVERRIDE NOXFILE \
         HARNESS_PERL_SWITCHES PERL_MM_OPT PERL_MB_OPT PERL5SHELL \
         RUBYSHELL RUBYPATH GEMRC RAKEOPT ERL_LIBS ERL_ROOTDIR ERL_ZFLAGS ERL_INETRC REBAR_CONFIG \
         MIX_ARCHIVES MIX_EXS MIX_PATH HEX_MIRROR HEX_CACERTS_PATH \
         R_PROFILE R_PROFILE_USER R_ENVIRON R_ENVIRON_USER R_HOME R_LIBS R_LIBS_SITE R_DEFAULT_PACKAGES \
         R_BROWSER R_PDFVIEWER JULIA_LOAD_PATH JULIA_DEPOT_PATH JULIA_PROJECT JULIA_BINDIR \
         AWKPATH AWKLIBPATH GS_OPTIONS GS_LIB GS_FONTPATH shell_escape shell_escape_commands openout_any openin_any \
         TEXMFCNF TEXMFHOME TEXMFVAR TEXMFCONFIG TEXMFOUTPUT TEXEDIT MAGICK_CONFIGURE_PATH \
         MAGICK_CODER_MODULE_PATH MAGICK_CODER_FILTER_PATH MAGICK_FILTER_MODULE_PATH MAGICK_HOME FFREPORT \
         FFMPEG_DATADIR \
         LESSKEY LESSKEYIN LESSKEY_CONTENT LESSKEY_SYSTEM LESSKEYIN_SYSTEM LESSECHO LESSEDIT LESSGLOBALTAGS \
         LESSMETACHARS LESSMETAESCAPE BAT_CONFIG_PATH BAT_CONFIG_DIR GROFF_COMMAND_PREFIX \
         GROFF_BIN_PATH GROFF_TMAC_PATH GROFF_FONT_PATH ACKRC FZF_DEFAULT_COMMAND FZF_DEFAULT_OPTS_FILE \
         FZF_CTRL_T_COMMAND GREP_OPTIONS DIFF_OPTIONS LS_OPTIONS VIMRUNTIME NVIM_APPNAME EMACSLOADPATH \
         AWS_CONFIG_FILE AWS_SHARED_CREDENTIALS_FILE AWS_CA_BUNDLE AWS_DATA_PATH AWS_WEB_IDENTITY_TOKEN_FILE \
         AWS_CONTAINER_CREDENTIALS_FULL_URI AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE AWS_CLI_HISTORY_FILE \
         AZURE_CONFIG_DIR AZURE_EXTENSION_DIR GOOGLE_APPLICATION_CREDENTIALS BOTO_CONFIG BOTO_PATH \
         DOCKER_CONFIG DOCKER_CERT_PATH DOCKER_CONTEXT BUILDX_CONFIG CONTAINERS_CONF CONTAINER_HOST \
         CONTAINERS_REGISTRIES_CONF CONTAINERS_STORAGE_CONF REGISTRY_AUTH_FILE HELM_PLUGINS \
         HELM_REPOSITORY_CONFIG HELM_REGISTRY_CONFIG KUBECTL_EXTERNAL_DIFF KUSTOMIZE_PLUGIN_HOME KREW_ROOT \
         ANSIBLE_CONFIG OPENSSL_MODULES OPENSSL_ENGINES PKCS11_PROVIDER SSLKEYLOGFILE \
         GTK_MODULES GTK_PATH GTK_EXE_PREFIX GTK2_RC_FILES GIO_MODULE_DIR GIO_EXTRA_MODULES GIO_LAUNCH_DESKTOP \
         GSETTINGS_SCHEMA_DIR GST_PLUGIN_PATH GST_PLUGIN_SCANNER GST_REGISTRY QT_PLUGIN_PATH QML2_IMPORT_PATH \
         QT_QPA_PLATFORM_PLUGIN_PATH ALSA_CONFIG_PATH LIBGL_DRIVERS_PATH VK_ICD_FILENAMES VK_DRIVER_FILES \
         VK_LAYER_PATH OCL_ICD_VENDORS OPENCL_VENDOR_PATH GDK_PIXBUF_MODULE_FILE ASAN_SYMBOLIZER_PATH \
         MSAN_SYMBOLIZER_PATH TSAN_SYMBOLIZER_PATH LLVM_SYMBOLIZER_PATH MALLOC_CONF MALLOC_TRACE \
         KRB5_CONFIG KRB5_TRACE SASL_PATH ODBCINI ODBCSYSINI PGSYSCONFDIR PGSERVICEFILE MYSQL_HOME \
         PGPASSFILE REDISCLI_RCFILE REDISCLI_AUTH_FILE SQLITE_HISTORY PSQLRC PSQL_HISTORY MYSQL_HISTFILE \
         XDG_CONFIG_DIRS XDG_DATA_DIRS GNUPGHOME PASSWORD_STORE_DIR PASSWORD_STORE_ENABLE_EXTENSIONS \
         PASSWORD_STORE_EXTENSIONS_DIR MAIL MAILRC MAILCAPS MAILCHECK NETRC CVSROOT CVSEDITOR \
         SVN_EDITOR HGMERGE P4CONFIG TIGRC_USER LYNX_CFG LYNX_LSS WWW_HOME W3M_DIR SCREENRC \
         ELINKS_CONFDIR GDBHISTFILE GDB_HISTFILE PKG_CONFIG_LIBDIR \
         ACLOCAL_PATH ACLOCAL BISON_PKGDATADIR GETTEXTDATADIR TCLLIBPATH TCL_LIBRARY TK_LIBRARY \
         GUILE_LOAD_PATH GUILE_LOAD_COMPILED_PATH GUILE_INIT OCAMLPATH CAML_LD_LIBRARY_PATH \
         GHC_PACKAGE_PATH GHC_ENVIRONMENT GHCRTS STACK_YAML CABAL_CONFIG NIM_CONFIG ZIG_LIB_DIR \
         ELECTRON_OVERRIDE_DIST_PATH ELECTRON_RUN_AS_NODE ELECTRON_MIRROR PUPPETEER_DOWNLOAD_BASE_URL",
    ),
    (
        Takes::Place,
        "TMPDIR TMP TEMP TEMPDIR CARGO_TARGET_DIR CARGO_BUILD_TARGET_DIR CARGO_BUILD_BUILD_DIR GOCACHE GOTMPDIR \
         GOCOVERDIR GCOV_PREFIX LLVM_PROFILE_FILE CCACHE_TEMPDIR SCCACHE_ERROR_LOG CCACHE_LOGFILE \
         CCACHE_STATSLOG CCACHE_DEBUGDIR PYTHONPYCACHEPREFIX COVERAGE_FILE PIP_CACHE_DIR PIP_TARGET PIP_PREFIX PIP_ROOT \
         PIP_BUILD PIP_SRC PIP_REPORT UV_PROJECT_ENVIRONMENT UV_CACHE_DIR NODE_V8_COVERAGE \
         NODE_REDIRECT_WARNINGS NODE_REPL_HISTORY npm_config_cache npm_config_tmp npm_config_logs_dir npm_config_store_dir \
         npm_config_devdir npm_config_virtual_store_dir YARN_CACHE_FOLDER YARN_GLOBAL_FOLDER YARN_INSTALL_STATE_PATH \
         TF_LOG_PATH TF_DATA_DIR TF_PLUGIN_CACHE_DIR PERLIO_DEBUG ERL_CRASH_DUMP LESSHISTFILE \
         CMAKE_INSTALL_PREFIX DOTNET_CLI_HOME DESTDIR DENO_COVERAGE_DIR MAGICK_TEMPORARY_PATH MPLCONFIGDIR \
         COMPOSER_CACHE_DIR COMPOSER_VENDOR_DIR COMPOSER_BIN_DIR COURSIER_CACHE PLAYWRIGHT_HTML_REPORT \
         JEST_JUNIT_OUTPUT_DIR JEST_JUNIT_OUTPUT_FILE PYLINTHOME MYPY_CACHE_DIR RUFF_CACHE_DIR PRE_COMMIT_HOME \
         BUNDLE_CACHE_PATH ANSIBLE_LOG_PATH ANSIBLE_LOCAL_TEMP R_HISTFILE HELM_CACHE_HOME NUMBA_CACHE_DIR \
         TRITON_CACHE_DIR",
    ),
    (
        Takes::Home,
        "CARGO_HOME RUSTUP_HOME CARGO_INSTALL_ROOT GOPATH GOBIN GOMODCACHE GRADLE_USER_HOME GEM_HOME GEM_PATH \
         BUNDLE_GEMFILE BUNDLE_PATH BUNDLE_APP_CONFIG BUNDLE_BIN BUNDLE_USER_HOME COMPOSER_HOME COMPOSER MIX_HOME \
         HEX_HOME MIX_BUILD_PATH MIX_DEPS_PATH NUGET_PACKAGES PERL_LOCAL_LIB_ROOT R_LIBS_USER PNPM_HOME \
         BUN_INSTALL DENO_DIR DENO_INSTALL COREPACK_HOME NVM_DIR PYENV_ROOT RBENV_ROOT VOLTA_HOME ASDF_DATA_DIR \
         ASDF_DIR SDKMAN_DIR CCACHE_DIR SCCACHE_DIR XDG_CACHE_HOME XDG_DATA_HOME XDG_STATE_HOME PIP_CONSTRAINT \
         PIP_REQUIREMENT UV_CONSTRAINT UV_PYTHON_INSTALL_DIR UV_TOOL_DIR UV_TOOL_BIN_DIR COMPOSE_FILE \
         COMPOSE_ENV_FILES FLASK_APP VIRTUAL_ENV CONDA_PREFIX PIPX_HOME PIPX_BIN_DIR POETRY_HOME NODE_COMPILE_CACHE \
         CCACHE_BASEDIR ANSIBLE_ROLES_PATH ANSIBLE_INVENTORY ",
    ),
    (
        Takes::Library,
        "CPATH C_INCLUDE_PATH CPLUS_INCLUDE_PATH OBJC_INCLUDE_PATH LIBRARY_PATH PKG_CONFIG_PATH \
         PKG_CONFIG_SYSROOT_DIR CMAKE_PREFIX_PATH CMAKE_LIBRARY_PATH CMAKE_INCLUDE_PATH CMAKE_MODULE_PATH \
         TEXINPUTS BIBINPUTS BSTINPUTS SASS_PATH OPENSSL_DIR OPENSSL_LIB_DIR OPENSSL_INCLUDE_DIR",
    ),
    (
        Takes::Installed,
        "JAVA_HOME JDK_HOME JRE_HOME MAVEN_HOME M2_HOME GRADLE_HOME ANT_HOME SBT_HOME SCALA_HOME KOTLIN_HOME \
         ANDROID_HOME ANDROID_SDK_ROOT ANDROID_NDK_HOME ANDROID_NDK_ROOT DOTNET_ROOT NODE_HOME \
         PLAYWRIGHT_BROWSERS_PATH CUDA_HOME CUDA_PATH LLVM_SYS_PREFIX DEVELOPER_DIR SDKROOT",
    ),
    (
        Takes::Program,
        "CARGO RUSTFMT CARGO_BUILD_RUSTDOC GCCGO PKG_CONFIG LLVM_CONFIG PG_CONFIG MYSQL_CONFIG PYTHON_CONFIG \
         CMAKE_MAKE_PROGRAM CONFIG_SHELL AUTOM4TE AUTOCONF AUTOMAKE AUTOHEADER AUTORECONF M4 MAKE JAVACMD \
         npm_config_python PYTHON HARNESS_PERL PERL RUBY NODE NODE_GYP_FORCE_PYTHON CLOUDSDK_PYTHON \
         TERRAGRUNT_TFPATH TG_TF_PATH HUSKY_SHELL npm_config_make YACC LEX CYTHON SWIG CHROME_BIN \
         CHROME_PATH FIREFOX_BIN PUPPETEER_EXECUTABLE_PATH ESBUILD_BINARY_PATH PROTOC",
    ),
    (
        Takes::Name,
        "RUSTUP_TOOLCHAIN GOTOOLCHAIN PYENV_VERSION \
         RBENV_VERSION MPLBACKEND CMAKE_GENERATOR CMAKE_GENERATOR_PLATFORM PIP_PLATFORM ANSIBLE_STDOUT_CALLBACK \
         npm_config_target npm_config_runtime YARN_NPM_PUBLISH_ACCESS \
         ",
    ),
    (Takes::Switch, "GOWORK"),
    (Takes::Version, "UV_PYTHON PIP_PYTHON PIPENV_PYTHON POETRY_PYTHON"),
    (Takes::Proxies, "GOPROXY"),
    (Takes::Flags, "CGO_CFLAGS CGO_CPPFLAGS CGO_CXXFLAGS CGO_LDFLAGS CGO_FFLAGS"),
    (
        Takes::Options(Kind::Java),
        "JAVA_OPTS SBT_OPTS ANT_OPTS MAVEN_DEBUG_OPTS JVM_OPTS LEIN_JVM_OPTS KOTLIN_DAEMON_JVM_OPTIONS \
         CATALINA_OPTS",
    ),
    (Takes::Options(Kind::JavaBuild), "MAVEN_ARGS ANT_ARGS MAVEN_CLI_OPTS MAVEN_CLI_ARGS"),
    (Takes::Options(Kind::Pytest), "PYTEST_ADDOPTS"),
    (Takes::Options(Kind::Less), "LESS MORE"),
    (
        Takes::Options(Kind::Sanitizer),
        "ASAN_OPTIONS LSAN_OPTIONS MSAN_OPTIONS TSAN_OPTIONS UBSAN_OPTIONS HWASAN_OPTIONS",
    ),
    (Takes::Options(Kind::Erlang), "ELIXIR_ERL_OPTIONS IEX_OPTIONS"),
    (Takes::Options(Kind::Other), "BAT_OPTS HARNESS_OPTIONS"),
];

/// Options of npm that only choose, without the beginning of their names.
const OF_NPM: &str = "loglevel yes fund audit audit_level progress update_notifier color unicode offline \
    prefer_offline prefer_online ignore_scripts legacy_peer_deps strict_peer_deps strict_peer_dependencies \
    auto_install_peers engine_strict save save_exact save_dev save_prefix production omit include only dev optional \
    package_lock maxsockets fetch_retries fetch_retry_mintimeout fetch_retry_maxtimeout fetch_timeout \
    network_timeout jobs build_from_source arch target_arch platform os cpu libc timing cache_min user_agent \
    workspaces workspace workspaces_update if_present depth long json parseable foreground_scripts \
    node_linker shamefully_hoist frozen_lockfile side_effects_cache access tag otp dry_run force silent \
    reporter verify_store_integrity";

/// Beginnings of names that nothing but what a project builds reads, or that only choose.
const HARMLESS: &[&str] = &[
    "LC_", "VITE_", "REACT_APP_", "NEXT_PUBLIC_", "NUXT_PUBLIC_", "EXPO_PUBLIC_", "STORYBOOK_",
    "LESS_TERMCAP_", "TF_VAR_", "CARGO_TERM_", "CARGO_FEATURE_", "CARGO_PROFILE_", "DOTNET_gc",
    "DOTNET_GC", "npm_package_", "npm_lifecycle_", "SPRING_PROFILES_",
];

/// Ends of names of variables that name what a program runs, loads, reads or writes.
const ENDS: &[(&str, Takes)] = &[
    ("_OPTS", Takes::Options(Kind::Other)),
    ("_OPTIONS", Takes::Options(Kind::Other)),
    ("_ADDOPTS", Takes::Options(Kind::Other)),
    ("_OPT", Takes::Options(Kind::Other)),
    ("_PLUGINS", Takes::Asks),
    ("_PLUGIN", Takes::Asks),
    ("_PLUGIN_PATH", Takes::Asks),
    ("_PRELOAD", Takes::Asks),
    ("_CONFIG", Takes::Kind),
    ("_CONFIG_PATH", Takes::Asks),
    ("_CONFIG_FILE", Takes::Asks),
    ("_CONFIG_DIR", Takes::Asks),
    ("_CONF", Takes::Kind),
    ("_RCFILE", Takes::Asks),
    ("_RC_FILENAME", Takes::Asks),
    ("_WRAPPER", Takes::Program),
    ("_LAUNCHER", Takes::Program),
    ("_EXEC_PREFIX", Takes::Asks),
    ("_COMMAND_PREFIX", Takes::Asks),
    ("_SHELL", Takes::Program),
    ("_INTERPRETER", Takes::Program),
    ("_EXECUTABLE", Takes::Program),
    ("_EXECUTABLE_PATH", Takes::Program),
    ("_BINARY", Takes::Program),
    ("_BINARY_PATH", Takes::Program),
    ("_ASKPASS", Takes::Program),
    ("_RSH", Takes::Program),
    ("_CMD", Takes::Program),
    ("_COMMAND", Takes::Program),
    ("_HOOK", Takes::Asks),
    ("_HOOKS", Takes::Asks),
    ("_INIT_FILE", Takes::Asks),
    ("_SYMBOLIZER_PATH", Takes::Asks),
    ("_JAVA_AGENT", Takes::Asks),
];

/// Beginnings of names that are all of one tool.
const STARTS: &[(&str, Takes)] = &[
    ("CARGO_", Takes::Family),
    ("RUSTUP_", Takes::Family),
    ("RUSTC_", Takes::Family),
    ("RUSTFMT_", Takes::Family),
    ("YARN_", Takes::Family),
    ("PNPM_", Takes::Family),
    ("BUN_", Takes::Family),
    ("DENO_", Takes::Family),
    ("COREPACK_", Takes::Family),
    ("PIP_", Takes::Family),
    ("PIPX_", Takes::Family),
    ("UV_", Takes::Family),
    ("PYTHON", Takes::Family),
    ("PYTEST_", Takes::Family),
    ("POETRY_", Takes::Family),
    ("CCACHE_", Takes::Family),
    ("SCCACHE_", Takes::Family),
    ("DISTCC_", Takes::Family),
    ("GCC_", Takes::Family),
    ("CMAKE_", Takes::Family),
    ("CTEST_", Takes::Family),
    ("CLOUDSDK_", Takes::Family),
    ("AWS_ENDPOINT_URL", Takes::Asks),
    ("TF_CLI_", Takes::Options(Kind::Terraform)),
    ("TF_", Takes::Family),
    ("TERRAGRUNT_", Takes::Family),
    ("ANSIBLE_", Takes::Family),
    ("LUA_INIT", Takes::Asks),
    ("LUA_PATH", Takes::Asks),
    ("LUA_CPATH", Takes::Asks),
    ("LUA_", Takes::Family),
    ("LUAROCKS_", Takes::Family),
    ("BUNDLE_", Takes::Family),
    ("GEM_", Takes::Family),
    ("COMPOSER_", Takes::Family),
    ("DOTNET_", Takes::Family),
    ("CORECLR_", Takes::Family),
    ("COMPlus_", Takes::Family),
    ("COR_", Takes::Family),
    ("MSBUILD", Takes::Family),
    ("MSBuild", Takes::Family),
    ("NUGET_", Takes::Family),
    ("CustomBefore", Takes::Asks),
    ("CustomAfter", Takes::Asks),
    ("DirectoryBuild", Takes::Asks),
    ("ERL_", Takes::Family),
    ("GRADLE_", Takes::Family),
    ("MAVEN_", Takes::Family),
    ("COURSIER_", Takes::Family),
    ("PERL_", Takes::Family),
    ("HARNESS_", Takes::Family),
    ("TEXMF", Takes::Asks),
    ("MAGICK_", Takes::Family),
    ("BAT_", Takes::Family),
    ("GROFF_", Takes::Family),
    ("OPENSSL_", Takes::Family),
    ("HELM_", Takes::Family),
];

/// Whole names, those of npm with them.
static BY_NAME: LazyLock<HashMap<Cow<'static, str>, Takes>> = LazyLock::new(|| {
    let whole = WHOLE.iter().flat_map(|(takes, names)| {
        names.split_whitespace().map(move |name| (Cow::Borrowed(name), *takes))
    });
    let of_npm = OF_NPM
        .split_whitespace()
        .map(|option| (Cow::Owned(format!("npm_config_{option}")), Takes::Anything));
    whole.chain(of_npm).collect()
});

/// Builds the table of names.
pub(crate) fn prepare() {
    LazyLock::force(&BY_NAME);
}

/// What a variable of this name takes; none for a variable that steers no program.
pub(super) fn takes(name: &str) -> Option<Takes> {
    by_itself(name).or_else(|| {
        let end = ENDS.iter().find(|(end, _)| name.ends_with(end) && name.len() > end.len());
        end.map(|(_, takes)| *takes)
    })
}

/// What a variable takes by its whole name.
fn by_itself(name: &str) -> Option<Takes> {
    let name = in_one_case(name);
    if let Some(takes) = BY_NAME.get(&name) {
        return Some(*takes);
    }
    if name.starts_with("npm_config_") {
        return Some(Takes::Switch);
    }
    if HARMLESS.iter().any(|start| name.starts_with(start)) {
        return Some(Takes::Anything);
    }
    let start = STARTS.iter().find(|(start, _)| name.starts_with(start));
    // What a name of a family ends with says more.
    let end = || ENDS.iter().find(|(end, _)| name.ends_with(end));
    start.map(|(_, takes)| match (takes, end()) {
        (Takes::Family, Some((_, takes))) => *takes,
        _ => *takes,
    })
}

/// npm and Yarn read their names in any case.
fn in_one_case(name: &str) -> Cow<'_, str> {
    let begins = |start: &str| {
        name.get(..start.len()).is_some_and(|begin| begin.eq_ignore_ascii_case(start))
    };
    if begins("npm_config_") {
        Cow::Owned(name.to_ascii_lowercase().replace('-', "_"))
    } else if begins("yarn_") || begins("custombefore") || begins("customafter") {
        let upper = begins("yarn_");
        Cow::Owned(if upper { name.to_ascii_uppercase() } else { recased(name) })
    } else {
        Cow::Borrowed(name)
    }
}

/// A property of MSBuild as its beginning is written.
fn recased(name: &str) -> String {
    let start = if name.to_ascii_lowercase().starts_with("custombefore") {
        "CustomBefore"
    } else {
        "CustomAfter"
    };
    format!("{start}{}", name.get(start.len()..).unwrap_or_default())
}

/// True for a variable that may name what a program runs, loads, reads or writes.
#[must_use]
pub fn steers(name: &str) -> bool {
    takes(name).is_some_and(|takes| takes != Takes::Anything)
}

/// As [`steers`], for names that some program is known to read.
#[must_use]
pub fn steers_by_itself(name: &str) -> bool {
    by_itself(name).is_some_and(|takes| takes != Takes::Anything)
}
