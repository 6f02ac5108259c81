//! Programs that tell something of the machine, its users and its processes.

use super::super::model::Model;
use super::kinds::{ex, gnu, list, model, nothing};

pub(super) const TABLE: &[Model] = &[model(
    &["id", "groups", "whoami", "logname", "gid", "gwhoami"],
    &gnu(&[list(
        "-a, -Z --context, -g --group, -G --groups, -n --name, -r --real, -u --user, -z --zero, -p, -P, -F, -c",
    )]),
    nothing,
    &[ex("id -un", &[])],
)];
