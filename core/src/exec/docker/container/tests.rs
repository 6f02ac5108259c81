use std::path::{Path, PathBuf};

use super::super::super::environment::Variables;
use super::super::super::isolated::Isolated;
use super::*;
use crate::exec::Console;
use crate::shell::{Confinement, Run};

fn request(workspace: &Path) -> ExecRequest {
    let owner = CommandOwner {
        tenant: "t".into(),
        agent: Some("a".into()),
        session: Some("s".into()),
        workspace: Some(workspace.to_owned()),
        kept: Vec::new(),
    };
    ExecRequest {
        run: Run::Verbatim { text: "true".into() },
        cwd: WORKSPACE.into(),
        held_to: Confinement::default(),
        visible: Vec::new(),
        variables: Variables::new(),
        input: Vec::new(),
        nested: Default::default(),
        console: Console::Once,
        session: String::new(),
        opened: None,
        isolated: None,
        owner,
        timeout: std::time::Duration::from_secs(1),
    }
}

fn workspace() -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let real = folder.path().canonicalize().unwrap();
    (folder, real)
}

fn identity(config: &ExecConfig, request: &ExecRequest) -> String {
    Wanted::of(config, request).unwrap().identity
}

type Change<T> = (&'static str, fn(&mut T));

#[test]
fn every_setting_of_a_container_makes_another_container() {
    let (_folder, real) = workspace();
    let request = request(&real);
    let usual = identity(&ExecConfig::default(), &request);
    assert_eq!(identity(&ExecConfig::default(), &request), usual, "it is the same every time");
    let changes: [Change<ExecConfig>; 14] = [
        ("image", |config| config.sandbox.image = "other".into()),
        ("workspace_access", |config| config.sandbox.workspace_access = WorkspaceAccess::Ro),
        ("no workspace", |config| config.sandbox.workspace_access = WorkspaceAccess::None),
        ("scope", |config| config.sandbox.scope = SandboxScope::Agent),
        ("user", |config| config.sandbox.user = Some("7:7".into())),
        ("network", |config| config.sandbox.network = "other".into()),
        ("memory_mb", |config| config.sandbox.memory_mb += 1),
        ("cpus", |config| config.sandbox.cpus = 0.5),
        ("pids_limit", |config| config.sandbox.pids_limit += 1),
        ("read_only_root", |config| config.sandbox.read_only_root = false),
        ("tmpfs", |config| config.sandbox.tmpfs.push("/opt".into())),
        ("tmpfs_size_mb", |config| config.sandbox.tmpfs_size_mb += 1),
        ("limits.open_files", |config| config.limits.open_files += 1),
        ("limits.file_mb", |config| config.limits.file_mb += 1),
    ];
    let mut all = vec![usual];
    for (name, change) in changes {
        let mut config = ExecConfig::default();
        change(&mut config);
        let own = identity(&config, &request);
        assert!(!all.contains(&own), "{name}");
        all.push(own);
    }
}

#[test]
fn what_is_no_setting_of_a_container_leaves_the_same_container() {
    let (_folder, real) = workspace();
    let request = request(&real);
    let usual = identity(&ExecConfig::default(), &request);
    let changes: [Change<ExecConfig>; 4] = [
        ("timeout_seconds", |config| config.sandbox.timeout_seconds = 7),
        ("idle_hours", |config| config.sandbox.idle_hours = 7.0),
        ("prune_interval_min", |config| config.sandbox.prune_interval_min = 7.0),
        ("environment", |config| drop(config.environment.set.insert("A".into(), "b".into()))),
    ];
    for (name, change) in changes {
        let mut config = ExecConfig::default();
        change(&mut config);
        assert_eq!(identity(&config, &request), usual, "{name}");
    }
}

#[test]
fn the_owner_of_a_command_and_what_is_closed_to_it_choose_the_container() {
    let (_folder, real) = workspace();
    let (_other, other) = workspace();
    std::fs::create_dir_all(real.join(".git/hooks")).unwrap();
    std::fs::write(real.join("key"), "x").unwrap();
    let config = ExecConfig::default();
    let mut all = vec![identity(&config, &request(&real)), identity(&config, &request(&other))];
    assert_ne!(all[0], all[1], "the workspace");
    let changes: [Change<ExecRequest>; 6] = [
        ("tenant", |request| request.owner.tenant = "u".into()),
        ("agent", |request| request.owner.agent = None),
        ("session", |request| request.owner.session = None),
        ("read_never", |request| request.held_to.read_never = [format!("{WORKSPACE}/key")].into()),
        ("write_never", |request| {
            request.held_to.write_never = [format!("{WORKSPACE}/.git/hooks")].into()
        }),
        ("by_owner", |request| request.held_to.by_owner = true),
    ];
    for (name, change) in changes {
        let mut request = request(&real);
        change(&mut request);
        let own = identity(&config, &request);
        assert!(!all.contains(&own), "{name}");
        all.push(own);
    }
}

#[test]
fn nothing_is_written_in_a_folder_that_was_not_looked_through() {
    let (_folder, real) = workspace();
    std::fs::create_dir_all(real.join("far/out")).unwrap();
    let config = ExecConfig::default();
    for (closed, by_owner, expected) in [
        ("/workspace/far", false, vec![("/workspace", false), ("/workspace/far", true)]),
        ("/workspace/far", true, vec![("/workspace", true), ("/workspace/far", true)]),
        ("/workspace", false, vec![("/workspace", true)]),
        ("/workspace", true, vec![("/workspace", true)]),
    ] {
        let mut request = request(&real);
        request.held_to.by_owner = by_owner;
        request.held_to.write = ["/workspace/far/out".to_owned()].into();
        request.held_to.write_never = [closed.to_owned()].into();
        request.nested.not_looked_at = vec![closed.to_owned()];
        let mounts = Wanted::of(&config, &request).unwrap().body.host_config.unwrap().mounts;
        let mounts = mounts.unwrap().into_iter();
        let mounts: Vec<(String, bool)> =
            mounts.map(|mount| (mount.target.unwrap(), mount.read_only.unwrap())).collect();
        let expected = expected.into_iter().map(|(at, closed)| (at.to_owned(), closed));
        assert_eq!(mounts, expected.collect::<Vec<_>>());
    }
}

#[test]
fn a_program_with_credentials_never_has_the_container_of_another() {
    let (_folder, real) = workspace();
    let words = vec!["gh".into()];
    let isolated = Isolated { words, variables: Variables::new(), files: Vec::new() };
    let request = ExecRequest { isolated: Some(isolated), ..request(&real) };
    let config = ExecConfig::default();
    assert_ne!(identity(&config, &request), identity(&config, &request));
}

#[test]
fn a_program_of_an_owners_writes_and_reaches_what_its_permit_allows() {
    let (_folder, real) = workspace();
    std::fs::create_dir_all(real.join("out/.git/hooks")).unwrap();
    let mut config = ExecConfig::default();
    config.sandbox.network = "other".into();
    let made = |config: &ExecConfig, write: &[&str], network: Reach| {
        let held_to = Confinement {
            write: write.iter().map(ToString::to_string).collect(),
            write_never: [format!("{WORKSPACE}/out/.git/hooks")].into(),
            by_owner: true,
            network,
            ..Confinement::default()
        };
        let body = Wanted::of(config, &ExecRequest { held_to, ..request(&real) }).unwrap().body;
        let host = body.host_config.unwrap();
        let mounts = host.mounts.unwrap().into_iter();
        let mounts: Vec<(String, bool)> =
            mounts.map(|mount| (mount.target.unwrap(), mount.read_only.unwrap())).collect();
        (mounts, host.network_mode.unwrap(), body.network_disabled.unwrap())
    };
    let hooks = ("/workspace/out/.git/hooks".to_owned(), true);
    let (mounts, network, disabled) = made(&config, &[], Reach::None);
    assert_eq!(mounts, [("/workspace".to_owned(), true), hooks.clone()]);
    assert_eq!((&*network, disabled), ("none", true));
    let (mounts, network, disabled) = made(&config, &["/tmp", "/workspace/out"], Reach::Any);
    let expected = [
        ("/workspace".to_owned(), true),
        ("/workspace/out".to_owned(), false),
        ("/workspace/out/.git".to_owned(), false),
        hooks,
    ];
    assert_eq!(mounts, expected);
    assert_eq!((&*network, disabled), ("other", false));
    assert!(!made(&config, &["/workspace"], Reach::None).0[0].1);
    config.sandbox.workspace_access = WorkspaceAccess::Ro;
    let (mounts, ..) = made(&config, &["/workspace/out"], Reach::None);
    assert_eq!(mounts, [("/workspace".to_owned(), true)]);
}
