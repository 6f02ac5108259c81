//! What the settings of the workspace's repositories have Git run or read, for the analysis of commands.

use std::path::{Path, PathBuf};

use crate::exec::sandbox::Mounted;
use crate::shell::{Env, place};
use crate::workspace::protected::named_by_settings_in;

/// The files and folders of the workspace that settings of Git in its folders name, as a command sees
/// them, without those that the owner opens; blocking, it reads settings. `mounted` is how a container
/// sees the workspace.
pub(super) fn protected(env: &Env, mounted: Option<&Mounted>) -> Vec<String> {
    let mut found = Vec::new();
    for root in &env.workspace {
        let here = match mounted {
            Some(mounted) => mounted.on_host(root),
            None => Some(PathBuf::from(root)),
        };
        // Paths of settings are given without links.
        let Some(real) = here.and_then(|root| root.canonicalize().ok()) else { continue };
        for target in named_by_settings_in(&real) {
            let below = target.strip_prefix(&real).ok().and_then(Path::to_str);
            let below = below.filter(|below| !place::is_opened(below, &env.opened));
            found.extend(below.map(|below| format!("{}/{below}", root.trim_end_matches('/'))));
        }
    }
    found
}
