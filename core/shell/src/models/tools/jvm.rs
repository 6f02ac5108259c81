//! Tools that build and run for the Java machine and for .NET.

use crate::effect::{Access, Certainty, CodeFrom, Effect};
use crate::invocation::Argument;
use crate::model::tool::Action::{
    Call, Cloud, Database, Fetches, Here, If, Installs, Looks, Project, Reads, Sends, Setting,
    Touches,
};
use crate::model::tool::{Tool, opts, tools};
use crate::model::{Opt, Parsed, Report};
use crate::models::perform::{beyond, perform};
use crate::value::Value;

use super::plain::plain;

/// Options that the commands of `gradle` share.
const GRADLE: &[Opt] = opts!(
    "-a --no-rebuild, -b --build-file=<, -c --settings-file=<, -g --gradle-user-home=>, -I --init-script=<, -p --project-dir=/, -h --help -?, \
     -q --quiet, -w --warn, -i --info, -d --debug, -s --stacktrace, -S --full-stacktrace, -x --exclude-task=, -m --dry-run, \
     -P --project-prop=, -D --system-prop=, -t --continuous, --continue, --build-cache, --no-build-cache, --configuration-cache, \
     --no-configuration-cache, --configure-on-demand, --console=, --daemon, --no-daemon, --foreground, --status, --stop, \
     --max-workers=, --offline, --parallel, --no-parallel, --priority=, --profile, --scan, --no-scan, --refresh-dependencies, \
     --refresh-keys, --rerun-tasks, --rerun, --warning-mode=, --watch-fs, --no-watch-fs, -v --version, -V --show-version, --tests=, \
     --write-locks, --update-locks=, --write-verification-metadata=, -M=, -F=, --all, --configuration=, --dependency=, --info, \
     --fail-fast, --include-build=<, --gradle-version=, --distribution-type=, --args=, --debug-jvm, --type=, --dsl=, --test-framework=, --task="
);

/// The tools of this file, each with its options, its commands and its examples.
pub(super) const TABLE: &[Tool] = tools! {
    Gnu "gradle" [GRADLE] => Call(gradle), If("--scan", &[Sends("scans.gradle.com")]); [
        "gradle -Dorg.gradle.jvmargs=-javaagent:/tmp/x.jar test": "code:project code:setting write:workspace:recursive",
        "gradle -Dorg.gradle.jvmargs=-Xmx2g test": "code:project write:workspace:recursive",
        "gradle test": "code:project write:workspace:recursive",
        "gradle test --tests 'x.Y*' --info -Pfoo=bar": "code:project write:workspace:recursive",
        "./gradlew build -x test": "code:file execute:workspace",
        "gradle --init-script /tmp/x.gradle build": "code:file code:project execute:temp execute:temp:recursive write:workspace:recursive",
    ]
    Single "mvn mvnd" "-q, --quiet, -B, --batch-mode, -U, --update-snapshots, -o, --offline, -X, --debug, -e, --errors, -f=<, --file=<, -pl=, \
        --projects=, -am, --also-make, -amd, -D[=], -P[=], -T[=], --threads=, -N, --non-recursive, -rf=, --resume-from=, -s=<, --settings=<, -gs=<, \
        -t=<, -l=>, --log-file=>, -fae, -ff, -fn, -ntp, --no-transfer-progress, -c, -C, -v, --version, -V, --show-version, -h, --help, -nsu, -cpu, -b=, -itr"
        => Project, Here, Call(deploys), Call(maven); [
        "mvn com.evil:evil-maven-plugin:1.0:run": "code:package code:project write:workspace:recursive",
        "mvn org.apache.maven.plugins:maven-dependency-plugin:3.6.0:tree": "code:project write:workspace:recursive",
        "mvn -Dmaven.ext.class.path=./x.jar test": "code:project code:setting write:workspace:recursive",
        "mvn test -Dmdep.outputFile=/etc/x": "code:project execute:system:recursive write:system:recursive write:workspace:recursive",
        "mvn -q -B test -Dtest=Foo#bar -pl core -am": "code:project write:workspace:recursive",
        "mvn clean package -DskipTests": "code:project write:workspace:recursive",
        "mvn exec:exec -Dexec.executable=rm": "code:project dynamic write:workspace:recursive",
        "mvn deploy": "cloud code:project network:send write:workspace:recursive",
    ]

    SinglePosix "java javaw" "-jar, -cp=<, -classpath=<, --class-path=<, -D[=], -X[=], -XX:[=], -ea[=], -da[=], -esa, -server, -client, -version, --version, \
        -showversion, --show-version, -help, -h, -?, --help-extra, -verbose[=], -agentlib:[=], -agentpath:[=], -javaagent:[=], -p=<, --module-path=<, \
        -m=, --module=, --add-modules=, --add-opens=, --add-exports=, --add-reads=, --enable-preview, --source=, --list-modules, --enable-native-access="
        => Call(agent), Call(java), Call(paths); [
        "java -Xmx2g -jar target/app.jar --port 1": "code:file execute:workspace",
        "java -version": "",
        "java -cp build x.Main": "code:project",
        "java -p mods -m x/x.Main": "code:project",
        "java -cp build:/tmp/x x.Main": "code:project execute:temp",
        "java -javaagent:/tmp/x.jar x.Main": "code:project code:setting",
        "java -XX:OnError='rm x' x.Main": "code:project code:setting",
        "java -XX:VMOptionsFile=/tmp/x x.Main": "code:project unmodelled",
        "java -XX:+UseG1GC -XX:MaxRAMPercentage=75.0 -Xss512k x.Main": "code:project",
        "java -XX:HeapDumpPath=/etc/x x.Main": "code:project write:system",
        "java -XX:StartFlightRecording:duration=30s,filename=/etc/x x.Main": "code:project write:system",
        "java -Xlog:gc:file=/etc/x x.Main": "code:project write:system",
        "java -Xlog:gc*:stdout:time x.Main": "code:project",
        "java @/tmp/x": "code:project unmodelled",
    ]
    Single "javac javadoc" "-d=>, -cp=<, -classpath=<, --class-path=<, -sourcepath=<, --source-path=<, -source=, --source=, -target=, --target=, --release=, \
        -encoding=, -g[=], -Xlint[=], -Xdoclint[=], -Xmaxerrs=, -proc:[=], -processorpath=<, --processor-path=<, -processor=, -nowarn, -verbose, -parameters, -J[=], \
        -version, --version, -h=>, -s=>, -implicit:[=], -p=<, --module-path=<, -A[=], -Werror, -deprecation, --enable-preview, -quiet, -private, -public, -package, \
        -protected, -author, -subpackages=, -windowtitle=, -link=, --module=, -m=, --module-source-path=<"
        => Reads, Here, Call(agent), Call(paths); [
        "javac -d out src/A.java": "write:workspace write:workspace:recursive",
        "javac -h /etc/x A.java": "write:system write:workspace:recursive",
        "javac -processorpath /tmp/x.jar A.java": "execute:temp write:workspace:recursive",
        "javac -J-javaagent:/tmp/x.jar A.java": "code:setting write:workspace:recursive",
        "javac -J-Xmx1g A.java": "write:workspace:recursive",
        "javac @/tmp/x": "unmodelled write:workspace:recursive",
    ]
    Operands "jar" => Call(archive), Call(plain); [
        "jar tf target/a.jar": "",
        "jar cf a.jar -C out .": "write:workspace:recursive",
        "jar --create --file=/etc/x .": "execute:system:recursive write:system:recursive write:workspace:recursive",
        "jar @/tmp/x": "execute:temp:recursive unmodelled write:temp:recursive write:workspace:recursive",
    ]
    Single "jlink jpackage javap jdeps keytool jarsigner native-image" "-d=>, -cp=<, -classpath=<, --class-path=<, -J[=], -version, --version, \
        -p=<, --module-path=<, -c, -v, -private, -public, -verbose, -s, -l, -quiet, --output=>, --add-modules="
        => Reads, Here, Call(agent); [
        "javap -c -private out/A.class": "write:workspace:recursive",
        "jlink --output /etc/x --add-modules java.base": "write:system write:workspace:recursive",
    ]
    Inherited "dotnet" "-v --verbosity=, --info, --version, --list-sdks, --list-runtimes, -d --diagnostics, --help -h -?, -c --configuration=, -f --framework=, \
        -r --runtime=, -o --output=>, --no-restore, --no-build, --nologo, --interactive, --os=, -a --arch=, -p --property --project=, --source=, -p:[=], \
        --filter=, --logger -l=, --collect=, --settings -s=<, --blame, -t --list-tests, --results-directory=>, --force, --no-incremental, --self-contained[=], \
        --no-dependencies, --include-symbols, --version-suffix=, --launch-profile=, --no-launch-profile, --verify-no-changes, --severity=, --tl[=], -m[=]" => ; {
        "build test publish pack clean msbuild format watch vstest workload-restore" => Project, Here, Call(dotnet);
        @InheritedPosix "run" => Project, Here, Call(dotnet);
        "restore" => Fetches("nuget.org"), Here;
        "add remove" => Installs, Here; { "package reference" "--version=, --prerelease" => Installs, Here; "*" => Installs, Here; };
        "new" "-n --name=, --language=, -lang=, --dry-run, --list" => Here; { "list search" => ; "install" => Installs; "*" "-n --name=, --language=, --use-controllers" => Here; };
        "sln list help sdk" => ; { "add remove" => Here; "list check" => ; "*" => ; };
        "tool" => ; { "install update" "-g --global, --version=, --local, --tool-path=>" => Installs; "uninstall" "-g --global" => Installs; "restore" => Installs; "list" "-g --global" => ; @InheritedPosix "run" => Project; };
        "nuget" => ; { "push delete" "-k --api-key=, -s --source=" => Sends("nuget.org"), Cloud("the registry"); "add remove update enable disable" => Setting("where packages come from"); "*" => Here; };
        "ef" => Project, Here; {
            "database" => Project, Here; {
                "drop" "-f --force" => Project, Database(true);
                "update" "--connection=" => Project, Database(false);
            };
            "*" => Project, Here;
        };
        "workload" => Installs; { "list" => ; "*" => Installs; };
    } [
        "dotnet test --no-build -c Release --filter Name~x": "code:project write:workspace:recursive",
        "dotnet add package x": "package:install write:workspace:recursive",
        "dotnet --version": "",
        "dotnet build -p:Version=1.2 /p:Configuration=Release -l:console": "code:project write:workspace:recursive",
        "dotnet build -p:CustomBeforeMicrosoftCommonTargets=/tmp/x.targets": "code:project execute:temp:recursive unmodelled write:temp:recursive write:workspace:recursive",
        "dotnet build -l:X,./x.dll": "code:project code:setting write:workspace:recursive",
        "dotnet test --logger 'trx;LogFileName=/etc/x'": "code:project write:system write:workspace:recursive",
        "dotnet build -flp:logfile=/etc/x": "code:project write:system write:workspace:recursive",
        "dotnet run --project /tmp/x": "code:project execute:temp:recursive write:temp:recursive write:workspace:recursive",
        "dotnet ef database drop": "code:project database:destroys",
        "dotnet run --project a -- -x": "code:project write:workspace:recursive",
    ]
};

/// The effects of `gradle`.
fn gradle(report: &mut Report<'_>, parsed: &Parsed<'_>) {
    for option in ["-I", "-b", "-c", "--include-build"] {
        for file in parsed.values(option) {
            if super::is_beyond(report, &file.value) {
                report.file(Access::Execute, file);
                report.add(Effect::Code { from: CodeFrom::File });
            }
        }
    }
    for word in parsed.values("-D") {
        let Some((name, value)) = word.value.prefix().split_once('=') else { continue };
        if name == "org.gradle.jvmargs" {
            for option in value.split_whitespace() {
                of_machine(report, word, option);
            }
        } else if name.starts_with("org.gradle.java") {
            beyond(report, word, &Value::known(value), true);
        }
    }
    perform(report, parsed, &[Project, Here, Call(deploys)], Certainty::Must);
}

/// Goals that send what is built away, and one that runs the program which a property names.
fn deploys(report: &mut Report<'_>, parsed: &Parsed<'_>) {
    if parsed.operands.iter().any(|word| word.value.prefix().ends_with("exec:exec")) {
        let why = "the program that a property of the build names".to_owned();
        report.add(Effect::Dynamic { why });
    }
    let sends = ["deploy", "publish", "release:perform", "uploadArchives", "publishToMavenCentral"];
    let is_sent =
        |word: &&str| sends.iter().any(|goal| word == goal || word.ends_with(&format!(":{goal}")));
    if parsed.operands.iter().filter_map(|word| word.value.as_known()).any(|word| is_sent(&word)) {
        perform(report, parsed, &[Sends(""), Cloud("the registry")], Certainty::Must);
    }
}

/// Plugins that are named with where they come from, and properties by which Maven loads or writes.
fn maven(report: &mut Report<'_>, parsed: &Parsed<'_>) {
    /// Groups of plugins of Maven that are fetched by name in ordinary work.
    const KNOWN: &[&str] = &[
        "org.apache.maven.plugins:", "org.codehaus.mojo:", "org.springframework.boot:",
        "org.jacoco:", "org.owasp:", "org.sonarsource.scanner.maven:", "com.diffplug.spotless:",
        "io.quarkus:", "io.quarkus.platform:",
    ];
    for word in &parsed.operands {
        let goal = word.value.prefix();
        let is_known = KNOWN.iter().any(|start| goal.starts_with(start));
        let fetches = goal.starts_with("archetype:") || goal == "dependency:get";
        if fetches || goal.matches(':').count() > 1 && !is_known {
            let from = CodeFrom::Package(goal.to_owned());
            report.at(Effect::Code { from }, word.span.clone());
        }
    }
    for word in parsed.values("-D") {
        let Some((name, value)) = word.value.prefix().split_once('=') else { continue };
        match name {
            "maven.ext.class.path" | "jvm" | "maven.compiler.executable" => {
                let from = CodeFrom::Setting(format!("`{name}`"));
                report.at(Effect::Code { from }, word.span.clone());
            }
            "argLine" => {
                for option in value.split_whitespace() {
                    of_machine(report, word, option);
                }
            }
            _ => beyond(report, word, &Value::known(value), true),
        }
    }
}

/// Options of the machine, those behind `-J` among them, and files of options.
fn agent(report: &mut Report<'_>, parsed: &Parsed<'_>) {
    for (option, value) in &parsed.options {
        let Some(word) = value else { continue };
        let text = word.value.prefix();
        match *option {
            "-J" => of_machine(report, word, text),
            "-agentlib:" | "-agentpath:" | "-javaagent:" | "-X" | "-XX:" => {
                of_machine(report, word, &format!("{option}{text}"));
            }
            "-D" if text.starts_with("java.library.path=") => {
                for path in text.split(['=', ':']).skip(1) {
                    beyond(report, word, &Value::known(path), true);
                }
            }
            _ => {}
        }
    }
    // Of `java`, what stands behind is the program's own.
    let count = if matches!(report.name(), "java" | "javaw") { 1 } else { usize::MAX };
    let files = parsed.operands.iter().take(count);
    if files.map(|word| word.value.prefix()).any(|text| text.starts_with('@')) {
        report.not_understood("its options stand in a file");
    }
}

/// One option of the machine.
fn of_machine(report: &mut Report<'_>, word: &Argument, option: &str) {
    let loads = ["-agentlib:", "-agentpath:", "-javaagent:", "-Xbootclasspath", "-Xrun", "-XX:On"];
    if loads.iter().any(|start| option.starts_with(start)) {
        let name = option.split(['=', ':']).next().unwrap_or_default();
        let from = CodeFrom::Setting(format!("`{name}`"));
        report.at(Effect::Code { from }, word.span.clone());
    } else if let Some(log) = option.strip_prefix("-Xlog:") {
        let output = log.split(':').nth(1).unwrap_or_default();
        let output = output.strip_prefix("file=").unwrap_or(output);
        if !matches!(output, "" | "stdout" | "stderr") {
            report.path(Access::Write, output.trim_matches('"'));
        }
    } else if let Some(path) = option.strip_prefix("-Xloggc:") {
        report.path(Access::Write, path);
    } else if let Some(set) = option.strip_prefix("-XX:") {
        advanced(report, set);
    } else if !option.starts_with("-X") && !option.starts_with("-D") && !option.starts_with("-ea") {
        report.not_understood(format!("what the option `{option}` makes it do is not known"));
    }
}

/// `-XX:name=value`: a value that is no number and no word names a file.
fn advanced(report: &mut Report<'_>, set: &str) {
    let (name, value) = set.split_once(['=', ':']).unwrap_or((set, ""));
    let reads = ["VMOptionsFile", "Flags", "CompileCommandFile", "CompilerDirectivesFile"];
    if reads.contains(&name) {
        report.not_understood("its options stand in a file");
        return;
    }
    let is_number = |text: &str| text.chars().all(|char| char.is_ascii_digit() || char == '.');
    for part in value.split(',') {
        let path = part.rsplit('=').next().unwrap_or(part);
        if path.contains(['/', '.', '~']) && !is_number(path) {
            report.path(Access::Write, path);
        }
    }
}

/// Code is loaded from each of these places.
fn paths(report: &mut Report<'_>, parsed: &Parsed<'_>) {
    let options = [
        "-cp", "-classpath", "--class-path", "-p", "--module-path", "-processorpath",
        "--processor-path",
    ];
    for word in options.iter().flat_map(|option| parsed.values(option)) {
        let parts = word.value.prefix().split(':').filter(|path| !path.is_empty());
        for path in parts {
            let path = Value::known(path.trim_end_matches('*'));
            if super::is_beyond(report, &path) && !is_root(report, &path) {
                let effect = report.file_effect(Access::Execute, &path, false, false);
                report.at(effect, word.span.clone());
            }
        }
    }
}

/// True for a folder of the workspace itself.
fn is_root(report: &Report<'_>, path: &Value) -> bool {
    let path = crate::place::resolve(path, &report.cwd, report.env);
    path.as_known().is_some_and(|path| report.env.workspace.iter().any(|root| root == path))
}

/// The effects of `java`.
fn java(report: &mut Report<'_>, parsed: &Parsed<'_>) {
    let Some(first) = parsed.operands.first() else {
        if parsed.has("-m") || parsed.has("--module") {
            perform(report, parsed, &[Project], Certainty::Must);
        }
        return;
    };
    if parsed.has("-jar") || first.value.prefix().ends_with(".java") {
        report.file(Access::Execute, first);
        report.add(Effect::Code { from: CodeFrom::File });
    } else {
        perform(report, parsed, &[Project], Certainty::Must);
    }
}

/// `jar`: a look at an archive writes nothing.
fn archive(report: &mut Report<'_>, parsed: &Parsed<'_>) {
    let first = parsed.operands.first().map_or("", |word| word.value.prefix());
    let letters = first.trim_start_matches('-');
    let looks = match first.strip_prefix("--") {
        Some(long) => matches!(long, "list" | "help" | "version" | "describe-module"),
        None => letters.contains(['t', 'd']) && !letters.contains(['c', 'u', 'x', 'i', '/']),
    };
    let others = parsed.operands.iter().skip(1);
    let is_only = !others.clone().any(|word| {
        let text = word.value.prefix();
        ["--c", "--u", "--e", "--g", "-c", "-u", "-x", "-i"]
            .iter()
            .any(|start| text.starts_with(start))
    });
    if parsed.operands.iter().any(|word| word.value.prefix().starts_with('@')) {
        report.not_understood("its options stand in a file");
    }
    if looks && is_only {
        perform(report, parsed, &[Looks], Certainty::Must);
    } else {
        perform(report, parsed, &[Here, Touches], Certainty::Must);
    }
}

/// Properties, loggers and projects of `dotnet`.
fn dotnet(report: &mut Report<'_>, parsed: &Parsed<'_>) {
    for (option, value) in &parsed.options {
        let Some(word) = value else { continue };
        let text = word.value.prefix();
        match *option {
            "-l" | "--logger" => logger(report, word, text),
            // `-flp:logfile=x`
            "-f" => logger(report, word, text),
            "-p" | "-p:" | "--property" => property(report, word, text),
            _ => {}
        }
    }
    let runs = parsed.subcommands.last() == Some(&"run");
    for word in parsed.operands.iter().take(if runs { 0 } else { usize::MAX }) {
        let text = word.value.prefix();
        let switch = text.strip_prefix('/').and_then(|text| text.split_once(':'));
        match switch.filter(|(name, _)| name.chars().all(|char| char.is_ascii_alphabetic())) {
            Some(("p" | "property", set)) => property(report, word, set),
            Some((_, value)) => logger(report, word, value),
            None if text.starts_with('@') => report.not_understood("its options stand in a file"),
            None => beyond(report, word, &word.value, true),
        }
    }
}

/// `trx;LogFileName=x`, `X,./x.dll`
fn logger(report: &mut Report<'_>, word: &Argument, text: &str) {
    let mut parts = text.split([';', ',']);
    let is_file = |part: &str| {
        let name = part.rsplit(':').next().unwrap_or(part).to_ascii_lowercase();
        name.starts_with("logfile")
    };
    for part in parts.clone() {
        if let Some((name, path)) = part.split_once('=')
            && is_file(name)
        {
            report.path(Access::Write, path);
        }
    }
    if parts.any(|part| part.to_ascii_lowercase().ends_with(".dll")) {
        let from = CodeFrom::Setting("a logger".to_owned());
        report.at(Effect::Code { from }, word.span.clone());
    }
}

/// `Configuration=Release`; a project alone.
fn property(report: &mut Report<'_>, word: &Argument, text: &str) {
    let set = text.strip_prefix("roperty:").unwrap_or(text).trim_start_matches(':');
    for one in set.split(';') {
        let Some((name, value)) = one.split_once('=') else {
            beyond(report, word, &Value::known(one), true);
            continue;
        };
        let runs =
            ["Custom", "Import", "ToolPath", "ToolExe", "Targets", "Props", "Command", "Event"];
        let is_code = [".targets", ".props", ".dll", ".exe"].iter().any(|end| value.ends_with(end));
        if is_code || value.contains("$(") || runs.iter().any(|part| name.contains(part)) {
            report.not_understood(format!("what the property `{name}` makes it run is not known"));
        }
        beyond(report, word, &Value::known(value), true);
    }
}
