//! Package managers of systems: which commands install and remove, and which only look.

use crate::effect::{Access, Certainty, CodeFrom, Effect, SystemChange};
use crate::model::tool::Action::{
    self, At, Call, Fetches, Here, If, Installs, Package, Project, Reads, Removes, Setting, System,
    Unless,
};
use crate::model::tool::{Tool, tools};
use crate::model::{Parsed, Report};
use crate::models::perform::{perform, word};

/// The tools of this file, each with its options, its commands and its examples.
pub(super) const TABLE: &[Tool] = tools! {
    Inherited "apt apt-get aptitude nala apt-fast" "-y --yes --assume-yes, -q --quiet, -qq, -s --simulate --dry-run --just-print --no-act --recon, -d --download-only, -f --fix-broken, -m --ignore-missing --fix-missing, -u --show-upgraded, -V --verbose-versions, \
        -t --target-release --default-release=, --no-install-recommends, --install-recommends, --no-install-suggests, --install-suggests, --reinstall, --only-upgrade, --allow-unauthenticated, --allow-downgrades, --allow-remove-essential, \
        --allow-change-held-packages, --force-yes, --no-upgrade, --purge, --auto-remove --autoremove, -o --option=, -c --config-file=<, -a --all-versions --host-architecture=, --installed, --upgradable, --manual-installed, -n --names-only, \
        -f --full, --no-download, -P --build-profiles=, -b --compile --build, --no-list-cleanup, -h --help, -v --version, --print-uris, --allow-releaseinfo-change, --with-source=, --fix-policy, --no-remove, --trivial-only" => If("-o -c", &[Setting("a setting of the installer")]); {
        "install reinstall upgrade dist-upgrade full-upgrade build-dep satisfy safe-upgrade hold unhold markauto unmarkauto" => Unless("-s", &[Installs]);
        "remove purge autoremove autopurge" => Unless("-s", &[Removes]);
        "update" => Fetches("the package archive"), System(SystemChange::Other);
        "clean autoclean" => System(SystemChange::Other);
        "list search show policy depends rdepends showsrc showpkg madison check pkgnames stats versions why why-not help indextargets moo" => ;
        "changelog download source edit-sources" => Fetches("the package archive"), Here, Action::Unknown("it may run a pager or an editor");
    } [
        "apt-get install -y curl": "package:install",
        "apt -y --no-install-recommends install curl": "package:install",
        "apt list --installed": "",
        "apt-get update": "network system:other",
        "apt-get -o APT::Update::Pre-Invoke::=id update": "code:setting network system:other",
        "apt search x": "",
        "apt frobnicate": "unmodelled",
    ]
    Gnu "apt-cache apt-file apt-mark apt-config dpkg-query debconf-show rpmquery repoquery" "-n --names-only, -f --showformat --full=, -W --show=, -l --list, -L --listfiles=, -s --status=, -S --search=, -i, -a --all-versions, --installed, -q, --no-recommends, -p=, -x --regexp, -F, --important, -c=<, -o=" => If("-o", &[Setting("a setting of the installer")]), Call(marks); [
        "apt-cache policy x": "",
        "dpkg-query -W -f '${Version}' bash": "",
        "apt-mark hold x": "package:install",
    ]
    Gnu "dpkg" "-i --install, -r --remove, -P --purge, --unpack, --configure, -a --pending, -l --list, -L --listfiles, -s --status, -S --search, -p --print-avail, -c --contents, -I --info, -f --field, -x --extract, -e --control, -X --vextract, \
        --get-selections, --set-selections, --print-architecture, --print-foreign-architectures, --add-architecture, --remove-architecture, --compare-versions, --audit -C, --verify -V, -W --show, --force-all, --force-depends, --force-overwrite, --force-confold, --force-confnew, -R --recursive, \
        --root=, --admindir=, --instdir=, --no-triggers, --triggers-only, -G, -E, -B, -O, --ignore-depends=, --simulate --dry-run --no-act, -D --debug=, --pre-invoke=!, --post-invoke=!, --clear-avail, --version, --force-confdef, --no-pager" => Call(dpkg); [
        "dpkg -i x.deb": "package:install",
        "dpkg -l | cat": "",
        "dpkg -r x": "package:remove",
        "dpkg --print-architecture": "",
        "dpkg --pre-invoke 'cat x' -i x.deb": "code:setting package:install",
    ]
    Gnu "rpm" "-i --install, -U --upgrade, -F --freshen, -e --erase, -q --query, -a --all, -l --list, -f --file, -p --package=<, -i --info, -V --verify, -c --configfiles, -d --docfiles, -R --requires, --provides, --changelog, --qf --queryformat=, --scripts, -K --checksig, \
        --import, -v --verbose, -h --hash, --nodeps, --force, --test, --root=, --eval=, -E=, --whatprovides=, --whatrequires=, --last, --nosignature, --nodigest, --pipe=!, --define=, --rebuilddb, --initdb, --dbpath=, --replacepkgs, --noscripts, --version, --showrc" => Call(rpm); [
        "rpm -ivh x.rpm": "package:install",
        "rpm -qa": "",
        "rpm -e x": "package:remove",
        "rpm --eval '%{lua:os.execute(\"id\")}'": "code:setting",
    ]
    Inherited "yum dnf dnf5 microdnf tdnf zypper urpmi" "-y --assumeyes, -n --non-interactive, -q --quiet, -v --verbose, -C --cacheonly, --enablerepo=, --disablerepo=, --repo --repoid=, --installroot=>, --releasever=, --nogpgcheck, --no-gpg-checks, --setopt=, -x --exclude=, --best, --nobest, --allowerasing, --skip-broken, \
        --refresh, --downloadonly, --downloaddir=>, --assumeno, --security, --bugfix, --advisory=, --showduplicates, --installed, --available, --all, --noplugins, -c --config=<, --obsoletes, -d=, -e=, --no-recommends, --dry-run, --auto-agree-with-licenses, --setopt, -i, -u, -s, --best-effort" => If("-c --setopt", &[Setting("a setting of the installer")]); {
        "install in reinstall upgrade update up dup dist-upgrade distro-sync downgrade localinstall groupinstall group swap builddep si patch module copr config-manager addrepo ar" => Installs; { "list info" => ; "install" => Installs; "*" => Installs; };
        "remove rm erase autoremove removerepo rr groupremove" => Removes;
        "makecache clean refresh ref check-update lu list-updates" => Fetches("the package archive"), System(SystemChange::Other);
        "list ls search se info if repolist repos lr provides whatprovides wp repoquery deplist history check help repoinfo grouplist packages pa what-provides updateinfo" => ; { "list info" => ; "*" => ; };
        "download" => Fetches("the package archive"), Here;
    } ["yum install -y x": "package:install", "dnf list --installed": "", "zypper in x": "package:install", "dnf check-update": "network system:other"]
    Gnu "pacman yay paru pamac" "-S --sync, -R --remove, -U --upgrade, -Q --query, -F --files, -D --database, -T --deptest, -y --refresh, -u --sysupgrade, -s --search --recursive, -i --info, -l --list, -c --clean --cascade, -w --downloadonly, -n --nosave, -k --check, \
        -o --owns=, -e --explicit, -d --nodeps --deps, -m --foreign, -t --unrequired, -q --quiet, -p --print, -g --groups, -a --aur, --noconfirm, --confirm, --needed, --asdeps, --asexplicit, --overwrite=, --ignore=, -r --root=, -b --dbpath=, --config=<, --hookdir=<, --color=, -v --verbose, --noscriptlet, -V --version, -h --help, --disable-download-timeout" => Call(pacman); [
        "pacman -Syu --noconfirm x": "package:install",
        "pacman -Qi bash": "",
        "pacman -Ss x": "",
        "pacman -Rns x": "package:remove",
    ]
    Inherited "apk" "-q --quiet, -v --verbose, -U --update-cache, -p --root=, -X --repository=, --repositories-file=<, --no-cache, -f --force, --allow-untrusted, -t --virtual=, -u --upgrade, -l --latest, --no-progress, --no-network, -s --simulate, -i --interactive, -a --all, -I, -d --description, -e --exact, -r --recursive --rdepends, \
        -L --contents, --who-owns -W, --installed, --available -A, --initdb, --cache-dir=>, --keys-dir=<, --force-overwrite, --no-scripts, --purge, -V --version, -h --help, --update" => ; {
        "add fix upgrade" => Installs;
        "del" => Removes;
        "update cache" => Fetches("the package archive"), System(SystemChange::Other); { "clean download sync" => System(SystemChange::Other); };
        "info list search policy stats version dot audit verify manifest query" => ;
        "fetch" "-o --output=>, -R, --stdout" => Fetches("the package archive"), Here;
    } ["apk add curl": "package:install", "apk --no-cache add x": "package:install", "apk info -L x": "", "apk update": "network system:other"]
    Inherited "brew port mas" "-v --verbose, -q --quiet, -d --debug, -f --force, --cask --casks, --formula --formulae, --HEAD, -s --build-from-source, --dry-run -n, --json[=], -1, --versions, --installed, --full-name, --greedy, --zap, --global, --file=<, --all -a, --prefix, --deps, --tree, --overwrite, --cleanup, --no-lock, --desc, --pinned, --leaves, --help -h, --version" => ; {
        "install reinstall upgrade tap link pin bundle selfupdate" => Unless("--dry-run", &[Installs]); { "check list" => ; "dump" => Here; "cleanup" => Removes; "install exec" => Installs; "*" => Unless("--dry-run", &[Installs]); };
        "uninstall remove rm untap unlink autoremove cleanup unpin reclaim" => Removes;
        "update" => Fetches("github.com"), At(Access::Write, "/usr/local/Homebrew");
        "list ls info search outdated deps uses leaves desc config doctor cat home log commands formulae casks tap-info installed contents variants missing shellenv help variants --prefix --cellar --cache --repository --version which" => ;
        "services" => System(SystemChange::Service); { "list info" "--json, --all" => ; "start stop restart run kill cleanup" "--all, --file=<" => System(SystemChange::Service); };
        "fetch" => Fetches("github.com");
        "create edit audit test style" => Project, Here;
    } ["brew install jq": "package:install", "brew list --versions": "", "brew services list": "", "brew info x": ""]
    Inherited "snap flatpak" "-y --assumeyes, --noninteractive, --classic, --edge, --beta, --candidate, --stable, --channel=, --devmode, --dangerous, --user, --system, --purge, --all, --revision=, --columns=, --app, --runtime, -v --verbose, --if-not-exists, --unused, --or-update, --arch=, --branch=, --command=!, --help -h" => ; {
        "install refresh update remote-add connect enable revert alias try set override mask pin" => Installs;
        "remove uninstall disable remote-delete disconnect unalias unset" => Removes;
        "list find info search version remotes connections changes remote-ls remote-info history services warnings interfaces logs tasks get config model known" => ; { "*" => ; };
        "start stop restart kill" => System(SystemChange::Service);
        @InheritedPosix "run" "--shell, --devel, --filesystem=, --share=, --socket=, --env=" => Package;
        "download" => Fetches("the store"), Here;
        "login logout" => crate::model::tool::Action::Secret("the token of the store");
    } ["flatpak install x": "package:install", "snap list": "", "flatpak run org.x.Y": "code:package"]
    Inherited "choco winget scoop chocolatey" "-y --yes, -e --exact, --id=, --name=, -v --version=, -s --source=, --silent, -h --help, -g --global, --force, --all, -lo --local-only, --accept-source-agreements, --accept-package-agreements, --scope=, --params=, -q, --query=" => ; {
        "install upgrade update import bucket add source" => Installs; { "list ls" => ; "*" => Installs; };
        "uninstall remove cleanup" => Removes;
        "list search find info show outdated status which prefix export help config features pin cat home" => ; { "*" => ; };
    } ["winget install x": "package:install", "choco list": ""]
    Operands "nix nix-env nix-shell nix-build nix-store nix-channel nix-instantiate nix-collect-garbage \
        nixos-rebuild home-manager darwin-rebuild guix" => Call(nix), Action::Looks; [
        "nix build .#x": "code:project write:workspace:recursive",
        "nix flake show": "",
        "nix build github:x/y": "code:package code:project write:workspace:recursive",
        "nix eval --impure --expr x": "code:project unmodelled write:workspace:recursive",
        "nix build -o /etc/x": "code:project execute:system:recursive write:system:recursive write:workspace:recursive",
        "nix run nixpkgs#cowsay": "code:package",
        "nix-env -iA nixpkgs.hello": "package:install",
        "nix-shell --run 'x'": "code:package",
        "nix-store -q --references /nix/store/x": "",
        "nix-collect-garbage -d": "package:remove",
    ]
    Operands "emerge eopkg xbps-install xbps-remove xbps-query equery swupd slackpkg installpkg removepkg pkg \
        pkg_add pkg_delete pkgin opkg ipkg tlmgr fwupdmgr ubuntu-drivers add-apt-repository \
        apt-add-repository apt-key gdebi alien checkinstall dpkg-deb softwareupdate conan-install" => Call(others); [
        "emerge -av x": "package:install",
        "emerge --search x": "",
        "xbps-query -l": "",
        "pkg install x": "package:install",
        "add-apt-repository ppa:x/y": "package:install",
        "pkg_delete x": "package:remove",
    ]
    Operands "debuild dpkg-buildpackage debhelper dh lintian rpmbuild rpmlint makepkg fpm snapcraft \
        flatpak-builder appimagetool nfpm abuild dch reprepro mock" => Project, Here, Action::Touches; [
        "dpkg-buildpackage -us -uc": "code:project write:workspace:recursive",
    ]
};

/// The effects of the companions of `apt`: `apt-mark`, `apt-file`.
fn marks(report: &mut Report<'_>, parsed: &Parsed<'_>) {
    let first = parsed.operands.first().and_then(|word| word.value.as_known());
    if report.name() == "apt-mark" && !first.is_some_and(|word| word.starts_with("show")) {
        perform(report, parsed, &[Installs], Certainty::Must);
    }
    if report.name() == "apt-file" && first == Some("update") {
        perform(report, parsed, &[Fetches("the package archive")], Certainty::Must);
    }
}

/// The effects of `dpkg`.
fn dpkg(report: &mut Report<'_>, parsed: &Parsed<'_>) {
    let has = |all: &[&str]| all.iter().any(|option| parsed.has(option));
    if has(&["--simulate"]) {
        return;
    }
    if has(&[
        "-i", "--unpack", "--configure", "--set-selections", "--add-architecture",
        "--triggers-only", "--clear-avail", "--remove-architecture",
    ]) {
        perform(report, parsed, &[Installs], Certainty::Must);
    } else if has(&["-r", "-P"]) {
        perform(report, parsed, &[Removes], Certainty::Must);
    } else if has(&["-x", "-X", "-e"]) {
        perform(report, parsed, &[Reads], Certainty::Must);
        if let Some(folder) = parsed.operands.get(1) {
            report.tree(Access::Write, folder, true, false);
        }
    } else if has(&["-c", "-I", "-f"]) {
        perform(report, parsed, &[Reads], Certainty::Must);
    }
}

/// The effects of `rpm`.
fn rpm(report: &mut Report<'_>, parsed: &Parsed<'_>) {
    let has = |all: &[&str]| all.iter().any(|option| parsed.has(option));
    for option in ["--eval", "-E", "--define", "--qf"] {
        if parsed.values(option).any(|word| {
            word.value.prefix().contains('%')
                && (option != "--qf" || word.value.prefix().contains("lua"))
        }) {
            report.add(Effect::Code { from: CodeFrom::Setting("a macro".to_owned()) });
        }
    }
    if has(&["-q", "-V", "-K", "--version", "--showrc", "--eval", "-E"]) {
        return;
    }
    if has(&["-e"]) {
        perform(report, parsed, &[Removes], Certainty::Must);
    } else {
        perform(report, parsed, &[Installs], Certainty::Must);
    }
}

/// The effects of `pacman`.
fn pacman(report: &mut Report<'_>, parsed: &Parsed<'_>) {
    let has = |all: &[&str]| all.iter().any(|option| parsed.has(option));
    if has(&["-Q", "-T", "-V", "-h"])
        || has(&["-S", "-F"]) && has(&["-s", "-i", "-l", "-p", "-g"]) && !has(&["-y", "-u"])
    {
        return;
    }
    let actions: &[Action] = if has(&["-R"]) { &[Removes] } else { &[Installs] };
    perform(report, parsed, actions, Certainty::Must);
}

/// The effects of `nix`.
fn nix(report: &mut Report<'_>, parsed: &Parsed<'_>) {
    let words: Vec<&str> =
        report.invocation.arguments.iter().filter_map(|word| word.value.as_known()).collect();
    let has = |all: &[&str]| words.iter().any(|word| all.contains(word));
    let begins = |start: &str| words.iter().any(|word| word.starts_with(start));
    let first = words.iter().find(|word| !word.starts_with('-')).copied().unwrap_or_default();
    nix_words(report, first);
    let actions: &[Action] = match report.name() {
        "nix-collect-garbage" => &[Removes],
        "nix-shell" => &[Package],
        "nix-build" | "nix-instantiate" => &[Project, Here],
        "nix-store" if has(&["-q", "--query", "--verify", "--print-env", "-l", "--read-log"]) => {
            &[]
        }
        "nix-env" if has(&["-q", "--query", "-qa"]) => &[],
        "nix-env" if begins("-e") || has(&["--uninstall", "--delete-generations"]) => &[Removes],
        "nix-env" | "nix-channel" | "nixos-rebuild" | "home-manager" | "darwin-rebuild" => {
            &[Installs]
        }
        "nix-store" => &[Removes],
        "guix" => match first {
            "search" | "show" | "describe" | "size" | "graph" | "lint" => &[],
            "build" => &[Project, Here],
            "shell" | "environment" | "time-machine" => &[Package],
            "gc" | "remove" => &[Removes],
            _ => &[Installs],
        },
        _ => match first {
            "build" | "develop" | "flake" | "fmt" | "eval"
                if has(&["show", "metadata", "check", "info"]) && first == "flake" =>
            {
                &[]
            }
            "build" | "flake" | "fmt" | "eval" => &[Project, Here],
            "develop" => &[Project],
            "search" | "log" | "path-info" | "show-config" | "why-depends" | "hash"
            | "derivation" | "store" | "config" | "doctor"
                if !has(&["gc", "delete"]) =>
            {
                &[]
            }
            "" => &[],
            "store" => &[Removes],
            "run" | "shell" => {
                if words.iter().any(|word| word.starts_with('.')) {
                    &[Project]
                } else {
                    &[Package]
                }
            }
            _ => &[Installs],
        },
    };
    perform(report, parsed, actions, Certainty::Must);
}

/// Expressions, commands and sources that stand in the words themselves, and links that are written.
fn nix_words(report: &mut Report<'_>, first: &str) {
    /// Options of Nix that run code of the command.
    const CODE: &[&str] =
        &["--expr", "-E", "--impure", "--option", "-c", "--command", "--apply", "--arg"];
    /// Options of Nix that write a link.
    const LINKS: &[&str] = &["-o", "--out-link", "--profile", "--add-root"];
    let builds = ["build", "eval", "develop", "flake", "fmt", "bundle", "repl"].contains(&first);
    let fetches = matches!(report.name(), "nix") && builds || report.name() == "nix-build";
    let invocation = report.invocation;
    let mut is_link = false;
    for argument in &invocation.arguments {
        let text = argument.value.prefix();
        if std::mem::replace(&mut is_link, LINKS.contains(&text)) {
            word(report, argument, true);
        }
        if CODE.contains(&text) || text.ends_with("-hook") || text.ends_with("substituters") {
            report.not_understood(format!("what `{text}` makes it run is not known"));
        } else if fetches && text.contains([':', '#']) && !text.starts_with(['.', '/', '#', '-']) {
            let from = CodeFrom::Package(text.to_owned());
            report.at(Effect::Code { from }, argument.span.clone());
        }
    }
}

/// Installers of rarer systems: they only look if an option or the first word says so.
fn others(report: &mut Report<'_>, parsed: &Parsed<'_>) {
    let words: Vec<&str> =
        report.invocation.arguments.iter().filter_map(|word| word.value.as_known()).collect();
    let looks = [
        "search", "list", "info", "-s", "--search", "-S", "--list", "-l", "query", "show", "-p",
        "--pretend", "list-installed", "--display", "--version", "-c", "-I", "--contents", "which",
        "files", "get-devices", "get-updates",
    ];
    let name = report.name();
    let removes = name.contains("remove")
        || name.contains("delete")
        || words.iter().any(|word| {
            [
                "remove", "delete", "uninstall", "-C", "--unmerge", "--depclean", "autoremove",
                "purge", "-r", "rm",
            ]
            .contains(word)
        });
    let only_looks = ["xbps-query", "equery"].contains(&name)
        || words.iter().any(|word| looks.contains(word))
            && !words.iter().any(|word| ["install", "add", "upgrade", "update"].contains(word));
    if removes {
        perform(report, parsed, &[Removes], Certainty::Must);
    } else if !only_looks {
        perform(report, parsed, &[Installs], Certainty::Must);
    }
}
