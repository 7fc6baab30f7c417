//! What can go wrong with a campaign file.
//!
//! Each case is one line that says what is wrong and, if something can be done, which command does
//! it. [`file`](super::file) turns the reports of SQLite and the operating system into these cases;
//! the others are raised where they are found.

use std::path::PathBuf;

use super::schema::SCHEMA_VERSION;
use crate::row::Row;

/// What went wrong with a campaign file: one line, ready for the user.
#[derive(Debug, thiserror::Error)]
pub enum LedgerError {
    /// The file cannot be read, created or removed.
    #[error("{}: {why}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system said.
        why: String,
    },
    /// `new` never overwrites.
    #[error("{} exists already; a campaign is never overwritten", .0.display())]
    Exists(PathBuf),
    /// The file is not a campaign.
    #[error("{} is not a campaign: {why}", path.display())]
    NotACampaign {
        /// The file.
        path: PathBuf,
        /// What it is instead.
        why: String,
    },
    /// Written by a later version of this program.
    #[error(
        "{} has schema version {found}, and this program knows versions up to {}; use a newer queens",
        path.display(), SCHEMA_VERSION
    )]
    Newer {
        /// The file.
        path: PathBuf,
        /// Its version.
        found: u32,
    },
    /// The file or a row in it is broken.
    #[error("{} is damaged: {why}", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is broken.
        why: String,
    },
    /// A row does not fit its check value.
    #[error(
        "{}: the row of unit {unit} does not fit its check value, so it was altered after it was \
         written; drop it with `queens campaign prune --damaged` and run again",
        path.display()
    )]
    Altered {
        /// The file.
        path: PathBuf,
        /// The unit.
        unit: u64,
    },
    /// A recount does not fit its check value, or is marked wrongly.
    #[error(
        "{}: a recount of unit {unit} was altered after it was written; drop it with \
         `queens campaign prune --damaged`",
        path.display()
    )]
    AlteredRecount {
        /// The file.
        path: PathBuf,
        /// The unit.
        unit: u64,
    },
    /// A row that no program writes.
    #[error("a row of unit {unit} has {why}")]
    Unsound {
        /// The unit.
        unit: u64,
        /// What is wrong with it.
        why: &'static str,
    },
    /// The file would have to be written, but it is read-only.
    #[error("{} is read-only, or the folder is, where its journal goes", .0.display())]
    ReadOnly(PathBuf),
    /// The file has several names.
    #[error(
        "{} has another name too (a hard link), and what was not finished under one name is not \
         seen under the other; use a copy",
        .0.display()
    )]
    Linked(PathBuf),
    /// No space left.
    #[error(
        "{}: no space left on the disk; everything recorded so far is kept, free some space and \
         run again",
        .0.display()
    )]
    Full(PathBuf),
    /// Another program has locked the file.
    #[error("{} is locked by another program (an open transaction in a sqlite3 shell?)", .0.display())]
    Busy(PathBuf),
    /// Another machine is writing through a network file system.
    #[error(
        "{} is in use on the machine {host}; a process that was killed there is forgotten after a \
         minute; to share work between machines use `queens campaign serve` and `queens worker`",
        path.display()
    )]
    Elsewhere {
        /// The file.
        path: PathBuf,
        /// The machine that wrote last.
        host: String,
    },
    /// The units of the file do not mean what this program's units mean.
    #[error(
        "{} was planned for the algorithm {theirs}, and this program counts with {ours}: use the \
         program that planned it ({program}), or plan a new campaign",
        path.display()
    )]
    OtherAlgorithm {
        /// The file.
        path: PathBuf,
        /// The file's algorithm.
        theirs: String,
        /// This program's algorithm.
        ours: String,
        /// The program that planned the campaign.
        program: String,
    },
    /// Two counts of one unit differ.
    #[error(
        "{}: unit {unit} was counted twice with different results: {} by {} ({}) and {} by {} ({}); \
         find out which device is wrong, then count the unit again with \
         `queens campaign redo FILE {unit}`",
        path.display(), first.count, first.device, first.started,
        second.count, second.device, second.started
    )]
    Disputed {
        /// The file.
        path: PathBuf,
        /// The unit.
        unit: u64,
        /// What the ledger says.
        first: Box<Row>,
        /// What was counted later.
        second: Box<Row>,
    },
    /// The count is not finished.
    #[error("{}: {missing} of {units} units are missing; there is no result yet", path.display())]
    Incomplete {
        /// The file.
        path: PathBuf,
        /// How many units have no row.
        missing: u64,
        /// How many there are.
        units: u64,
    },
    /// The units do not add up to the known number of solutions.
    #[error(
        "{}: its units add up to {}, but {n} queens have {} solutions; \
         `queens campaign verify --share 100%` finds the wrong units",
        path.display(), counts.0, counts.1
    )]
    NotTheKnownCount {
        /// The file.
        path: PathBuf,
        /// The size of the board.
        n: u32,
        /// The sum of its units, and the published count.
        counts: Box<(u128, u128)>,
    },
    /// There is no such unit in the plan.
    #[error("{} has units 0 to {last}; there is no unit {unit}", path.display())]
    NoSuchUnit {
        /// The file.
        path: PathBuf,
        /// The number asked for.
        unit: u64,
        /// The last unit.
        last: u64,
    },
    /// A count that is too large for a ledger.
    #[error("the count {count} of unit {unit} does not fit a ledger: plan with more units")]
    TooLarge {
        /// The unit.
        unit: u64,
        /// Its count.
        count: u64,
    },
    /// Any other report of SQLite.
    #[error("{}: {why}", path.display())]
    Sqlite {
        /// The file.
        path: PathBuf,
        /// What SQLite said.
        why: String,
    },
}
