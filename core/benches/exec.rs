//! What it costs to run a command: the whole call of `exec` on the host against starting a shell, and
//! the way of much output against a pipe.
//!
//! `cargo bench -p toolkeep --bench exec`

#![expect(clippy::unwrap_used, clippy::print_stdout, reason = "a bench prints a table")]

use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use toolkeep::{CallContext, Config, Runtime, ToolResult};

const TURNS: usize = 300;
#[cfg(feature = "docker")]
const CONTAINER_TURNS: usize = 60;
const OUTPUT_MIB: usize = 100;
const STREAMED: usize = 7;

/// Set for a process of the bench that has no namespaces, as on a machine that gives none.
const WITHOUT_NAMESPACES: &str = "TOOLKEEP_BENCH_WITHOUT_NAMESPACES";

fn main() {
    let is_without = std::env::var_os(WITHOUT_NAMESPACES).is_some();
    if is_without {
        deny_namespaces();
    }
    let tokio = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_time()
        .build()
        .unwrap();
    tokio.block_on(async {
        if is_without {
            return starting_in(&["workspace"], "Landlock and seccomp alone").await;
        }
        starting_in(&["off", "workspace"], "all walls").await;
        // In a process of its own: what is denied to one is denied for ever.
        let itself = std::env::current_exe().unwrap();
        assert!(Command::new(itself).env(WITHOUT_NAMESPACES, "1").status().unwrap().success());
        println!();
        streaming().await;
        #[cfg(feature = "docker")]
        {
            println!();
            in_container().await;
        }
    });
}

async fn runtime(folder: &tempfile::TempDir, exec: Value) -> Runtime {
    let workspace = folder.path().to_str().unwrap();
    // The same command again and again is what a bench is about.
    let loops = json!({ "enabled": false });
    let config = json!({ "workspace": workspace, "exec": exec, "loops": loops });
    Runtime::builder().config(Config::from_value(config).unwrap()).build().await.unwrap()
}

async fn exec(rt: &Runtime, command: &str) -> ToolResult {
    let args = json!({ "command": command, "timeout_ms": 600_000 });
    let result = rt.call(&CallContext::new().session("bench"), "exec", args).await.unwrap();
    assert!(!result.is_error, "{}", result.for_llm);
    result
}

/// Denies new namespaces to this process and to all that it starts.
fn deny_namespaces() {
    let denied = [(libc::SYS_unshare, Vec::new())].into_iter().collect();
    let filter = seccompiler::SeccompFilter::new(
        denied,
        seccompiler::SeccompAction::Allow,
        seccompiler::SeccompAction::Errno(libc::EPERM.cast_unsigned()),
        std::env::consts::ARCH.try_into().unwrap(),
    );
    let program: seccompiler::BpfProgram = filter.unwrap().try_into().unwrap();
    seccompiler::apply_filter(&program).unwrap();
}

/// A program that does nothing, in turns with the baseline, so that both meet the same machine.
async fn starting_in(profiles: &[&str], walls: &str) {
    let folder = tempfile::tempdir().unwrap();
    println!("| running `true`, {walls} | ms, median of {TURNS} | ratio |");
    println!("|---|---:|---:|");
    let mut baseline = Vec::new();
    let mut rows = Vec::new();
    for confinement in profiles {
        let rt = runtime(&folder, json!({ "confinement": confinement })).await;
        exec(&rt, "true").await;
        let mut taken = Vec::new();
        for _ in 0..TURNS {
            baseline.push(timed(|| {
                Command::new("/bin/sh").args(["-c", "true"]).status().unwrap();
            }));
            let began = Instant::now();
            exec(&rt, "true").await;
            taken.push(began.elapsed());
        }
        rows.push((confinement, median(&mut taken)));
        rt.close().await.unwrap();
    }
    let baseline = median(&mut baseline);
    println!("| `posix_spawn` of `/bin/sh -c true` | {:.2} | 1 |", ms(baseline));
    for (confinement, taken) in rows {
        let ratio = ms(taken) / ms(baseline);
        println!("| the call, `confinement = \"{confinement}\"` | {:.2} | {ratio:.2} |", ms(taken));
    }
}

/// A program that does nothing, in a container that is there already, in turns with the engine's own
/// client.
#[cfg(feature = "docker")]
async fn in_container() {
    let engine = toolkeep_test_docker::Engine::start();
    let folder = tempfile::tempdir().unwrap();
    let socket = engine.socket();
    let sandbox = json!({ "mode": "all", "image": toolkeep_test_docker::IMAGE, "socket": socket });
    let rt = runtime(&folder, json!({ "sandbox": sandbox })).await;
    exec(&rt, "/bin/true").await;
    let container = engine.containers_with(&folder.path().canonicalize().unwrap()).remove(0);
    let (mut baseline, mut taken) = (Vec::new(), Vec::new());
    for _ in 0..CONTAINER_TURNS {
        baseline.push(timed(|| {
            assert!(engine.client(&["exec", &container, "/bin/true"]).status().unwrap().success());
        }));
        let began = Instant::now();
        exec(&rt, "/bin/true").await;
        taken.push(began.elapsed());
    }
    let (baseline, taken) = (median(&mut baseline), median(&mut taken));
    println!(
        "| running `/bin/true` in a warm container | ms, median of {CONTAINER_TURNS} | ratio |"
    );
    println!("|---|---:|---:|");
    println!("| `docker exec` | {:.2} | 1 |", ms(baseline));
    println!("| the call | {:.2} | {:.2} |", ms(taken), ms(taken) / ms(baseline));
    rt.close().await.unwrap();
}

/// Text that a build might write, through capture and mask, against `cat | wc -c`.
async fn streaming() {
    let folder = tempfile::tempdir().unwrap();
    let line =
        "   Compiling something v1.2.3 (/srv/build/something) with 12 features and no warnings\n";
    let text = line.repeat(OUTPUT_MIB * (1 << 20) / line.len());
    let path = folder.path().join("log");
    std::fs::write(&path, &text).unwrap();
    let rt = runtime(&folder, json!({})).await;
    exec(&rt, "cat log").await;
    let (mut piped, mut taken) = (Vec::new(), Vec::new());
    for _ in 0..STREAMED {
        piped.push(timed(|| {
            let mut cat = Command::new("cat").arg(&path).stdout(Stdio::piped()).spawn().unwrap();
            let mut count = Command::new("wc");
            count.arg("-c").stdin(cat.stdout.take().unwrap()).stdout(Stdio::null());
            count.status().unwrap();
            cat.wait().unwrap();
        }));
        let began = Instant::now();
        exec(&rt, "cat log").await;
        taken.push(began.elapsed());
    }
    let (piped, taken) = (median(&mut piped), median(&mut taken));
    println!(
        "| {OUTPUT_MIB} MiB of output | ms, median of {STREAMED} | part of the baseline's speed |"
    );
    println!("|---|---:|---:|");
    println!("| `cat \\| wc -c` | {:.1} | 1 |", ms(piped));
    println!("| the call | {:.1} | {:.2} |", ms(taken), ms(piped) / ms(taken));
    rt.close().await.unwrap();
}

fn timed(work: impl FnOnce()) -> Duration {
    let began = Instant::now();
    work();
    began.elapsed()
}

fn median(taken: &mut [Duration]) -> Duration {
    taken.sort();
    taken[taken.len() / 2]
}

fn ms(time: Duration) -> f64 {
    time.as_secs_f64() * 1_000.0
}
