//! How a runtime behaves, from outside.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]
#![expect(clippy::print_stdout, reason = "a child process speaks to its parent")]

mod approve;
mod attacks;
mod attacks_clis;
mod attacks_disks;
mod attacks_edits;
mod attacks_homes;
mod attacks_links;
mod attacks_moments;
mod attacks_names;
mod attacks_repositories;
mod attacks_taint;
mod attacks_texts;
mod calls;
mod claims;
mod clis;
mod crash;
mod custom;
mod definitions;
#[cfg(feature = "docker")]
mod docker;
mod ending;
mod exec;
mod faulty;
mod floors;
mod follow;
mod forked;
mod gates;
mod inherited;
mod known;
mod leaks;
mod ledger;
mod levels;
mod limits;
mod load;
mod looking;
mod many;
mod moving;
mod operations;
mod policy;
#[cfg(feature = "postgres")]
mod postgres;
mod processes;
mod records;
mod remotes;
mod replaced;
mod repositories;
mod required;
mod roots;
mod rotation;
mod sealed;
mod secrets;
mod shell;
mod support;
mod swapping;
mod swept;
mod tenants;
mod upkeep;
mod vault;
// Some of them run in containers.
#[cfg(feature = "docker")]
mod vectors;
mod virtual_files;
mod words;
mod writing;
mod writing_crash;
