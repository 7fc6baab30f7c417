//! The Python package `queenside`, over the library `queens`.
//!
//! There is no algorithm here: a function reads its arguments, calls the library and turns
//! the answer into Python objects. What this crate adds is good manners towards Python. Work
//! that may take long runs while Python is free to run other threads, and Ctrl-C ends it within
//! a tenth of a second ([`supervise`]). Wrong values raise `ValueError` with the library's own
//! line.
//!
//! | file | what it has for Python |
//! |---|---|
//! | `argument.rs` | reads sizes, squares, names and numbers of threads |
//! | `supervise.rs` | runs long work: Ctrl-C, progress, other threads |
//! | `solution.rs` | `Solution` |
//! | `placement.rs` | `Placement`, `Attack`, `Report`, `check` |
//! | `board.rs` | `Board` |
//! | `picture.rs` | what notebooks show |
//! | `solutions.rs` | `Solutions`, `solutions`, `fundamental`, `first` |
//! | `count.rs` | `count`, `engines`, `devices` |
//! | `solve.rs` | `solve` |
//! | `random.rs` | `random`, `sample` |
//! | `trace.rs` | `Trace`, `trace` |
//! | `tree.rs` | `Tree`, `tree` |
//! | `approximate.rs` | `Estimate`, `approximate` |
//! | `known.rs` | `known` |
//! | `campaign.rs` | `Campaign`, read only |
//!
//! Comments above Python's functions and classes are their docstrings, so they speak Python;
//! their examples are run by `tests/test_docstrings.py`.

mod approximate;
mod argument;
mod board;
mod campaign;
mod count;
mod known;
mod picture;
mod placement;
mod random;
mod solution;
mod solutions;
mod solve;
mod supervise;
mod trace;
mod tree;

use pyo3::prelude::*;

/// The native part of queenside; import queenside instead.
#[pymodule]
mod _queenside {
    #[pymodule_export]
    use crate::approximate::{Estimate, approximate};
    #[pymodule_export]
    use crate::board::PyBoard;
    #[pymodule_export]
    use crate::campaign::PyCampaign;
    #[pymodule_export]
    use crate::count::{count, devices, engines};
    #[pymodule_export]
    use crate::known::known;
    #[pymodule_export]
    use crate::placement::{PyAttack, PyPlacement, Report, check};
    #[pymodule_export]
    use crate::random::{random, sample};
    #[pymodule_export]
    use crate::solution::PySolution;
    #[pymodule_export]
    use crate::solutions::{Solutions, first, fundamental, solutions};
    #[pymodule_export]
    use crate::solve::solve;
    #[pymodule_export]
    use crate::trace::{PyTrace, trace};
    #[pymodule_export]
    use crate::tree::{PyTree, tree};

    /// The version of the package.
    #[pymodule_export]
    #[expect(non_upper_case_globals, reason = "Python's name for it")]
    const __version__: &str = env!("CARGO_PKG_VERSION");
}
