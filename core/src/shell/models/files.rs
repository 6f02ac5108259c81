//! Programs that make, copy, move and delete files.

use super::super::effect::Access;
use super::super::model::{Model, Parsed, Report};

pub(super) const TABLE: &[Model] = &[];

/// It deletes the files that its operands name.
pub(super) fn deletes(report: &mut Report<'_>, parsed: &Parsed<'_>) {
    for operand in &parsed.operands {
        report.file(Access::Delete, operand);
    }
}
