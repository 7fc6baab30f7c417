//! Ledgers from several places: `export` and `merge`.
//!
//! An export is a text file that people can read and tools can compare: a head that names the plan,
//! then one line per row, in order of units, with the check value from the ledger. Tabs separate
//! the columns:
//!
//! ```text
//! queens ledger 1
//! n 19
//! algorithm two-colour/4
//! plan 5d41...
//! units 256
//! 0   1520343   9f3c...   ada/cpu-avx512   queens 0.1.0   2026-11-15T09:00:00Z   0.041215
//! ```
//!
//! An export can leave out the rows that other ledgers have, so that a long count can be kept as
//! one small file per stretch of work. It can also contain the recounts instead of the ledger, in
//! the same form.
//!
//! A merge takes exports or campaign files of the same plan, checks every row, and adds what is
//! missing in one transaction: all of it or nothing. A second count of a unit goes on record as a
//! recount. If two counts of a unit differ, the merge fails and names both.

use std::collections::HashSet;
use std::io::{BufRead, Read, Write};
use std::path::{Path, PathBuf};

use crate::ledger::{Access, Campaign, LedgerError, MAGIC, Recorded, Table};
use crate::row::Row;
use crate::text::plain;

/// The length limit of a line of an export.
const LONGEST_LINE: usize = 4_096;

/// The most rows of one unit, count and recounts, that a ledger from elsewhere may have.
const MOST_OF_UNIT: usize = 1_000;

/// The most rows that a ledger from elsewhere may have. There is room for recounts of every unit,
/// and for some thousand more, which matters if there are few units.
const fn most_rows(units: u64) -> u64 {
    4 * units + 10_000
}

/// First line of an export.
const HEAD: &str = "queens ledger 1";

/// Why ledgers could not be merged.
#[derive(Debug, thiserror::Error)]
pub enum MergeError {
    /// One of the campaign files failed.
    #[error(transparent)]
    Ledger(#[from] LedgerError),
    /// The other file cannot be read.
    #[error("cannot read {}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// The other file is not a valid export.
    #[error("{} line {line}: {why}", path.display())]
    Syntax {
        /// The file.
        path: PathBuf,
        /// The line.
        line: usize,
        /// What is wrong.
        why: String,
    },
    /// The other ledger has more rows than any honest one.
    #[error("{}: {why}", path.display())]
    TooMuch {
        /// The file.
        path: PathBuf,
        /// What there is too much of.
        why: String,
    },
    /// The other ledger belongs to another plan.
    #[error("{} has the plan {theirs}, but {} has the plan {ours}", other.display(), path.display())]
    OtherPlan {
        /// This campaign.
        path: PathBuf,
        /// Its plan.
        ours: String,
        /// The other file.
        other: PathBuf,
        /// Its plan.
        theirs: String,
    },
    /// Two ledgers have different counts of one unit.
    #[error(
        "unit {unit} has two different counts: {} by {} ({}) in {} and {} by {} ({}) in {}",
        ours.count, ours.device, ours.started, path.display(),
        theirs.count, theirs.device, theirs.started, other.display()
    )]
    Differs {
        /// The unit.
        unit: u64,
        /// Where the first count is.
        path: PathBuf,
        /// The first count.
        ours: Box<Row>,
        /// Where the second count is.
        other: PathBuf,
        /// The second count.
        theirs: Box<Row>,
    },
}

/// Why a ledger could not be exported.
#[derive(Debug, thiserror::Error)]
pub enum ExportError {
    /// The campaign file failed.
    #[error(transparent)]
    Ledger(#[from] LedgerError),
    /// A ledger whose rows are to be left out cannot be used.
    #[error(transparent)]
    Other(#[from] MergeError),
    /// The export cannot be written.
    #[error(transparent)]
    Write(#[from] std::io::Error),
}

/// Which rows an export holds.
#[derive(Clone, Debug, Default)]
pub struct Selection {
    /// The recounts instead of the ledger.
    pub recounts: bool,
    /// Ledgers whose rows are left out: exports or campaign files of the same plan.
    pub except: Vec<PathBuf>,
}

/// Writes the ledger, or some of it, as text.
///
/// # Errors
///
/// When a ledger is damaged or belongs to another plan, or what `out` reports.
pub fn export(
    campaign: &Campaign,
    selection: &Selection,
    out: &mut dyn Write,
) -> Result<(), ExportError> {
    let table = match selection.recounts {
        true => Table::Recount,
        false => Table::Ledger,
    };
    let mut left_out = HashSet::new();
    for other in &selection.except {
        let rows = read_of_same_plan(campaign, other)?;
        left_out.extend(
            rows.iter()
                .map(|row| row.check_value(&campaign.info().plan_digest)),
        );
    }
    let info = campaign.info();
    let plan = &info.plan_digest;
    write_head(out, info.n, &info.algorithm, plan, info.units)?;
    campaign.each_row(table, |unit, row| -> Result<(), ExportError> {
        let row = campaign.fits(unit, row)?;
        if !left_out.contains(&row.check_value(plan)) {
            write_row(out, &row, plan)?;
        }
        Ok(())
    })
}

/// What a merge changed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Merged {
    /// Units that were missing before.
    pub new: u64,
    /// Rows that were already there.
    pub again: u64,
    /// Units counted in both places, with the same count.
    pub agreeing: u64,
}

/// Adds the rows of other ledgers: all of them, or none if anything is wrong.
///
/// # Errors
///
/// When a file cannot be used, belongs to another plan, holds an altered row, or
/// counts a unit differently.
pub fn merge(campaign: &mut Campaign, others: &[PathBuf]) -> Result<Merged, MergeError> {
    let mut rows: Vec<Row> = Vec::new();
    let mut origins: Vec<(usize, &Path)> = Vec::new();
    for other in others {
        origins.push((rows.len(), other));
        rows.extend(read_of_same_plan(campaign, other)?);
    }
    let origin = |at: usize| {
        let k = origins.partition_point(|&(first, _)| first <= at);
        origins[k - 1].1.to_owned()
    };
    match campaign.record_all_or_none(&rows)? {
        Ok(outcomes) => {
            let number = |what| outcomes.iter().filter(|&&o| o == what).count() as u64;
            Ok(Merged {
                new: number(Recorded::New),
                again: number(Recorded::Again),
                agreeing: number(Recorded::Agrees),
            })
        }
        Err((at, ours)) => {
            // The first count may itself come from an earlier file of this merge.
            let earlier = rows[..at].iter().position(|row| *row == *ours);
            Err(MergeError::Differs {
                unit: ours.unit,
                path: earlier.map_or_else(|| campaign.path().to_owned(), origin),
                ours,
                other: origin(at),
                theirs: Box::new(rows[at].clone()),
            })
        }
    }
}

/// The first digits of a digest, enough to tell two plans apart.
fn short(digest: &str) -> String {
    digest.chars().take(12).collect()
}

/// Reads the rows of an export or of a campaign file that has the plan of `campaign`.
fn read_of_same_plan(campaign: &Campaign, other: &Path) -> Result<Vec<Row>, MergeError> {
    let (plan, rows) = read(other, campaign.info().units)?;
    if plan == campaign.info().plan_digest {
        return Ok(rows);
    }
    Err(MergeError::OtherPlan {
        path: campaign.path().to_owned(),
        ours: short(&campaign.info().plan_digest),
        other: other.to_owned(),
        theirs: short(&plan),
    })
}

/// Reads an export or a campaign file: the digest of its plan, and the rows of the ledger, then of
/// the recounts. The wanted plan has this many `units`.
fn read(path: &Path, units: u64) -> Result<(String, Vec<Row>), MergeError> {
    let failed = |source| MergeError::Read {
        path: path.to_owned(),
        source,
    };
    let file = std::fs::File::open(path).map_err(failed)?;
    let mut text = std::io::BufReader::new(file);
    if text.fill_buf().map_err(failed)?.starts_with(MAGIC) {
        let campaign = Campaign::open(path, Access::Read)?;
        let mut rows: Vec<Row> = Vec::new();
        for table in [Table::Ledger, Table::Recount] {
            let mut room = Room::new(units);
            campaign.each_row(table, |unit, row| -> Result<(), MergeError> {
                room.take(unit).map_err(|why| MergeError::TooMuch {
                    path: path.to_owned(),
                    why,
                })?;
                rows.push(campaign.fits(unit, row)?);
                Ok(())
            })?;
        }
        return Ok((campaign.info().plan_digest.clone(), rows));
    }
    read_text(text, units).map_err(|error| match error {
        TextError::Read(source) => failed(source),
        TextError::Syntax { line, why } => MergeError::Syntax {
            path: path.to_owned(),
            line,
            why,
        },
    })
}

/// Limits the number of rows of a ledger from elsewhere. Rows are easy to make up, and a small
/// compressed file can hold millions of them.
struct Room {
    left: u64,
    unit: u64,
    of_unit: usize,
}

impl Room {
    fn new(units: u64) -> Room {
        Room {
            left: most_rows(units),
            unit: 0,
            of_unit: 0,
        }
    }

    /// Makes room for one row; rows come in order of units.
    fn take(&mut self, unit: u64) -> Result<(), String> {
        if self.unit != unit {
            (self.unit, self.of_unit) = (unit, 0);
        }
        self.of_unit += 1;
        if self.of_unit > MOST_OF_UNIT {
            return Err(format!(
                "it has more than {MOST_OF_UNIT} rows of unit {unit}"
            ));
        }
        let left = self.left.checked_sub(1);
        self.left = left.ok_or("it has far more rows than the plan has units")?;
        Ok(())
    }
}

/// Why a text is not an export.
#[derive(Debug)]
pub enum TextError {
    /// It cannot be read.
    Read(std::io::Error),
    /// It is not a valid export.
    Syntax {
        /// The line, from 1.
        line: usize,
        /// What is wrong.
        why: String,
    },
}

/// Reads the text of an export: the digest of its plan, and its rows. Every row fits its check
/// value. The number of rows is limited by the plan's `units`.
///
/// # Errors
///
/// When the text cannot be read, is not an export, or has an altered row or too many rows.
pub fn read_text(mut text: impl BufRead, units: u64) -> Result<(String, Vec<Row>), TextError> {
    let mut plan = None;
    let mut rows = Vec::new();
    let mut room = Room::new(units);
    // The check values of the last unit's rows.
    let mut of_unit = HashSet::new();
    let syntax = |line: usize, why: &str| TextError::Syntax {
        line,
        why: why.to_owned(),
    };
    const STRANGE: &str = "this is neither an export nor a campaign";
    let mut bytes = Vec::new();
    for index in 0.. {
        let number = index + 1;
        bytes.clear();
        // A line without an end must not fill the memory.
        let most = LONGEST_LINE as u64 + 1;
        let read = text.by_ref().take(most).read_until(b'\n', &mut bytes);
        if read.map_err(TextError::Read)? == 0 {
            break;
        }
        if bytes.len() > LONGEST_LINE {
            let why = match index {
                0 => STRANGE,
                _ => "this line is longer than any of an export",
            };
            return Err(syntax(number, why));
        }
        let line = bytes.strip_suffix(b"\n").unwrap_or(&bytes);
        let Ok(line) = std::str::from_utf8(line) else {
            return Err(syntax(number, STRANGE));
        };
        match (index, line.split_once(' ')) {
            (0, _) if line == HEAD => {}
            (0, _) => return Err(syntax(number, STRANGE)),
            (1 | 2 | 4, Some(_)) => {}
            (3, Some(("plan", digest))) if is_digest(digest) => plan = Some(digest.to_owned()),
            (1..=4, _) => return Err(syntax(number, "the head of the export is incomplete")),
            _ => {
                let plan = plan.as_deref().unwrap_or_default();
                let row = parse(line, plan).map_err(|why| syntax(number, &why))?;
                let last: Option<&Row> = rows.last();
                if last.is_some_and(|last| last.unit > row.unit) {
                    return Err(syntax(
                        number,
                        "the rows of an export are in order of units",
                    ));
                }
                if last.is_none_or(|last| last.unit < row.unit) {
                    of_unit.clear();
                }
                // A line repeated a million times is a small file when compressed.
                if !of_unit.insert(row.check_value(plan)) {
                    return Err(syntax(number, "this row is there already"));
                }
                room.take(row.unit).map_err(|why| syntax(number, &why))?;
                rows.push(row);
            }
        }
    }
    let plan = plan.ok_or_else(|| syntax(1, STRANGE))?;
    Ok((plan, rows))
}

/// Writes the head of an export.
///
/// # Errors
///
/// Those of `out`.
pub fn write_head(
    out: &mut dyn Write,
    n: u32,
    algorithm: &str,
    plan: &str,
    units: u64,
) -> std::io::Result<()> {
    write!(
        out,
        "{HEAD}\nn {n}\nalgorithm {algorithm}\nplan {plan}\nunits {units}\n"
    )
}

/// Writes one row of an export of this plan.
///
/// # Errors
///
/// Those of `out`.
pub fn write_row(out: &mut dyn Write, row: &Row, plan: &str) -> std::io::Result<()> {
    writeln!(out, "{}", text_of(row, plan))
}

fn parse(line: &str, plan: &str) -> Result<Row, String> {
    let columns: Vec<&str> = line.split('\t').collect();
    let &[unit, count, check, device, program, started, seconds] = columns.as_slice() else {
        return Err("a row has seven columns".to_owned());
    };
    let number = |text: &str| {
        text.parse::<u64>()
            .map_err(|_| format!("{:?} is not a whole number", plain(text, 40)))
    };
    let row = Row {
        unit: number(unit)?,
        count: number(count)?,
        device: device.to_owned(),
        program: program.to_owned(),
        started: started.to_owned(),
        seconds: seconds
            .parse()
            .ok()
            .filter(|seconds: &f64| seconds.is_finite() && *seconds >= 0.0)
            .ok_or_else(|| format!("{:?} is not a number of seconds", plain(seconds, 40)))?,
    };
    if row.check_value(plan) != check {
        return Err(format!(
            "the row of unit {unit} does not fit its check value"
        ));
    }
    if let Some(why) = row.trouble() {
        return Err(format!("the row of unit {unit} has {why}"));
    }
    // The check value covers seconds to six decimals and numbers without their signs, so a row is
    // accepted only exactly as an export writes it.
    if text_of(&row, plan) != line {
        return Err(format!(
            "the row of unit {unit} was not written by an export"
        ));
    }
    Ok(row)
}

/// Whether a text can be the digest of a plan.
fn is_digest(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// A row as a line of an export of this plan, without the line break.
fn text_of(row: &Row, plan: &str) -> String {
    format!(
        "{}\t{}\t{}\t{}\t{}\t{}\t{:.6}",
        row.unit,
        row.count,
        row.check_value(plan),
        row.device,
        row.program,
        row.started,
        row.seconds
    )
}
