//! Creating and opening campaign files without ever harming another file.
//!
//! SQLite would open an empty file, or another program's database, and write to it. So the header
//! is read first, as plain bytes. Every SQLite file begins with 16 known bytes. At fixed places
//! follow an application id (ours spells `Quns`), a user version (ours is the schema version), the
//! page size and the number of pages, which betrays a truncated file. Only a file that passes is
//! handed to SQLite, and only after that anything can be written.
//!
//! A new campaign is written under a temporary name beside its place, flushed, and then linked to
//! its name. The link fails if the name is taken. So half a campaign never has the name, and no
//! file is overwritten.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{ErrorKind, Read};
use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::{Connection, ErrorCode, OpenFlags, ffi};

use super::error::LedgerError;
use super::schema;

pub use super::schema::SCHEMA_VERSION;

/// How every SQLite database begins, and so every campaign.
pub const MAGIC: &[u8] = b"SQLite format 3\0";

/// `Quns`, stored as SQLite's application id.
pub const APPLICATION_ID: u32 = u32::from_be_bytes(*b"Quns");

/// How long SQLite waits for a lock before it reports that the file is busy, unless
/// [`Campaign::set_patience`](super::Campaign::set_patience) says otherwise.
pub(crate) const PATIENCE: Duration = Duration::from_secs(20);

/// What a campaign is opened for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// Reading only; the file may be on a read-only disk.
    Read,
    /// Reading and writing.
    Write,
}

/// Creates a campaign file, filled by `fill` in one transaction.
pub(super) fn create<T>(
    path: &Path,
    fill: impl FnOnce(&Connection) -> rusqlite::Result<T>,
) -> Result<T, LedgerError> {
    let io = |e: std::io::Error| io_error(path, e);
    if fs::symlink_metadata(path).is_ok() {
        return Err(LedgerError::Exists(path.to_owned()));
    }
    if path.file_name().is_none() {
        return Err(LedgerError::Io {
            path: path.to_owned(),
            why: "not the name of a file".to_owned(),
        });
    }
    let folder = match path.parent() {
        Some(p) if !p.as_os_str().is_empty() => p,
        _ => Path::new("."),
    };
    // Checked first, because SQLite would only say "unable to open".
    fs::metadata(folder).map_err(|e| io_error(folder, e))?;
    let draft = beside(path, &format!(".draft-{}", std::process::id()));
    File::create_new(&draft).map_err(io)?;
    let result = write_draft(&draft, fill)
        .map_err(|e| explain(path, e))
        .and_then(|value| {
            File::open(&draft).and_then(|f| f.sync_all()).map_err(io)?;
            publish(&draft, path)?;
            // The name itself must survive a power loss, too.
            File::open(folder).and_then(|d| d.sync_all()).map_err(io)?;
            Ok(value)
        });
    let _ = fs::remove_file(&draft);
    result
}

/// Gives the draft its name, unless the name is taken.
fn publish(draft: &Path, path: &Path) -> Result<(), LedgerError> {
    match fs::hard_link(draft, path) {
        Ok(()) => Ok(()),
        Err(e) if e.kind() == ErrorKind::AlreadyExists => Err(LedgerError::Exists(path.to_owned())),
        // A file system without hard links. Here the check and the renaming are two steps, which is
        // the best it offers.
        Err(_) if fs::symlink_metadata(path).is_err() => {
            fs::rename(draft, path).map_err(|e| io_error(path, e))
        }
        Err(_) => Err(LedgerError::Exists(path.to_owned())),
    }
}

fn write_draft<T>(
    draft: &Path,
    fill: impl FnOnce(&Connection) -> rusqlite::Result<T>,
) -> rusqlite::Result<T> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let mut db = Connection::open_with_flags(no_address(draft), flags)?;
    // No other process sees the draft, and it is flushed as a whole before it gets its name.
    db.pragma_update(None, "journal_mode", "OFF")?;
    db.pragma_update(None, "synchronous", "OFF")?;
    db.pragma_update(None, "application_id", APPLICATION_ID)?;
    db.pragma_update(None, "user_version", SCHEMA_VERSION)?;
    let tx = db.transaction()?;
    tx.execute_batch(schema::SCHEMA)?;
    let value = fill(&tx)?;
    tx.commit()?;
    db.close().map_err(|(_, e)| e)?;
    Ok(value)
}

/// Opens a campaign file after its header has been checked.
pub(super) fn open(path: &Path, access: Access) -> Result<Connection, LedgerError> {
    inspect(path)?;
    inspect_neighbours(path)?;
    if has_other_names(path) && !is_write_protected(path) {
        return Err(LedgerError::Linked(path.to_owned()));
    }
    if access == Access::Write && is_write_protected(path) {
        return Err(LedgerError::ReadOnly(path.to_owned()));
    }
    let db = match connect(path, access) {
        // A process was killed during a commit, and the commit must be undone before the file can
        // be read. That takes one opening for writing.
        Err(e)
            if access == Access::Read
                && extended(&e) == Some(ffi::SQLITE_READONLY_ROLLBACK)
                && !is_write_protected(path) =>
        {
            drop(connect(path, Access::Write).map_err(|e| explain(path, e))?);
            connect(path, access)
        }
        other => other,
    }
    .map_err(|e| explain(path, e))?;
    // Before anything is written, because a stranger's triggers could change it.
    if let Some(why) = schema::difference(&db).map_err(|e| explain(path, e))? {
        let path = path.to_owned();
        return Err(LedgerError::Damaged { path, why });
    }
    if access == Access::Write {
        match prepare_to_write(&db) {
            Ok(true) => {}
            Ok(false) => return Err(LedgerError::ReadOnly(path.to_owned())),
            Err(e) => return Err(explain(path, e)),
        }
    }
    Ok(db)
}

/// Sets how commits are made; returns whether the file can be written at all.
fn prepare_to_write(db: &Connection) -> rusqlite::Result<bool> {
    if db.is_readonly("main")? {
        return Ok(false);
    }
    db.pragma_update(None, "journal_mode", "TRUNCATE")?;
    db.pragma_update(None, "synchronous", "FULL")?;
    Ok(true)
}

/// The path in a form that SQLite cannot take for an address: `file:a` would be the file `a`, and
/// `:memory:` none at all.
fn no_address(path: &Path) -> PathBuf {
    match path.is_absolute() {
        true => path.to_owned(),
        false => Path::new(".").join(path),
    }
}

fn connect(path: &Path, access: Access) -> rusqlite::Result<Connection> {
    let mode = match access {
        Access::Read => OpenFlags::SQLITE_OPEN_READ_ONLY,
        Access::Write => OpenFlags::SQLITE_OPEN_READ_WRITE,
    };
    let mode = mode | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let db = Connection::open_with_flags(no_address(path), mode)?;
    db.busy_timeout(PATIENCE)?;
    db.pragma_update(None, "trusted_schema", false)?;
    db.pragma_update(None, "cell_size_check", true)?;
    // The first read takes the lock, undoes an interrupted commit, and fails on a broken first
    // page.
    db.query_row("SELECT count(*) FROM sqlite_schema", [], |_| Ok(()))?;
    Ok(db)
}

/// Reads the header as plain bytes and decides whether this is a campaign.
fn inspect(path: &Path) -> Result<(), LedgerError> {
    let not = |why: &str| LedgerError::NotACampaign {
        path: path.to_owned(),
        why: why.to_owned(),
    };
    // During a commit of another process, the header can be ahead of the file's length for a
    // moment: look again before judging.
    let mut attempts = 0;
    loop {
        // Checked before opening, because opening a pipe waits for its other end.
        let meta = fs::metadata(path).map_err(|e| io_error(path, e))?;
        if !meta.is_file() {
            return Err(not(if meta.is_dir() {
                "it is a folder"
            } else {
                "it is not a regular file"
            }));
        }
        let mut file = File::open(path).map_err(|e| io_error(path, e))?;
        let mut header = [0_u8; 100];
        if let Err(e) = file.read_exact(&mut header) {
            return Err(match e.kind() {
                ErrorKind::UnexpectedEof if meta.len() == 0 => not("it is empty"),
                ErrorKind::UnexpectedEof => not("it is too short"),
                _ => io_error(path, e),
            });
        }
        let word = |at: usize| u32::from_be_bytes(header[at..at + 4].try_into().unwrap());
        if !header.starts_with(MAGIC) {
            return Err(not("it is not an SQLite file"));
        }
        if word(68) != APPLICATION_ID {
            return Err(not("it is an SQLite file of another program"));
        }
        match word(60) {
            0 => return Err(not("its schema has no version")),
            found if found > SCHEMA_VERSION => {
                let path = path.to_owned();
                return Err(LedgerError::Newer { path, found });
            }
            _ => {}
        }
        let page = match u16::from_be_bytes([header[16], header[17]]) {
            1 => 65_536,
            size => u64::from(size),
        };
        let expected = page * u64::from(word(28));
        let length = file.metadata().map_err(|e| io_error(path, e))?.len();
        let committing =
            fs::metadata(beside(path, "-journal")).is_ok_and(|journal| journal.len() > 0);
        if length >= expected || committing {
            return Ok(());
        }
        attempts += 1;
        if attempts == 5 {
            return Err(LedgerError::Damaged {
                path: path.to_owned(),
                why: format!("it was cut off after {length} of {expected} bytes"),
            });
        }
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// Refuses pipes, links and folders where SQLite would read or write beside the file.
fn inspect_neighbours(path: &Path) -> Result<(), LedgerError> {
    let path = fs::canonicalize(path).map_err(|e| io_error(path, e))?;
    for suffix in ["-journal", "-wal", "-shm"] {
        let neighbour = beside(&path, suffix);
        if fs::symlink_metadata(&neighbour).is_ok_and(|meta| !meta.is_file()) {
            return Err(LedgerError::Io {
                path: neighbour,
                why: "it is in the way, for it is not a regular file".to_owned(),
            });
        }
    }
    Ok(())
}

/// Whether the permissions forbid everybody to write the file. The superuser could still write it,
/// but a finished campaign is protected so that it is left alone.
fn is_write_protected(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|m| m.permissions().readonly())
}

/// Whether the file has other names, by hard links. The journal of an interrupted commit lies
/// beside the name under which the commit was made, and nobody who uses another name would find it.
/// A file that is just being made also has its draft's name for a moment.
fn has_other_names(path: &Path) -> bool {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        const MOMENTS: usize = 50;
        (0..MOMENTS).all(|moment| {
            if moment > 0 {
                std::thread::sleep(Duration::from_millis(10));
            }
            fs::metadata(path).is_ok_and(|m| m.nlink() > 1)
        })
    }
    #[cfg(not(unix))]
    {
        let _ = path;
        false
    }
}

/// The path with something appended to its last part.
fn beside(path: &Path, suffix: &str) -> PathBuf {
    let mut name = OsString::from(path);
    name.push(suffix);
    PathBuf::from(name)
}

fn io_error(path: &Path, error: std::io::Error) -> LedgerError {
    match error.kind() {
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded => LedgerError::Full(path.to_owned()),
        ErrorKind::ReadOnlyFilesystem => LedgerError::ReadOnly(path.to_owned()),
        kind => LedgerError::Io {
            path: path.to_owned(),
            why: match kind {
                ErrorKind::NotFound => "there is no such file or folder".to_owned(),
                ErrorKind::PermissionDenied => "permission denied".to_owned(),
                _ => error.to_string(),
            },
        },
    }
}

fn extended(error: &rusqlite::Error) -> Option<i32> {
    error.sqlite_error().map(|e| e.extended_code)
}

/// Turns SQLite's errors into lines that a user can act on.
pub(super) fn explain(path: &Path, error: rusqlite::Error) -> LedgerError {
    let path = path.to_owned();
    match error.sqlite_error_code() {
        Some(ErrorCode::DiskFull) => LedgerError::Full(path),
        Some(ErrorCode::ReadOnly) => LedgerError::ReadOnly(path),
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => LedgerError::Busy(path),
        Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => LedgerError::Damaged {
            path,
            why: error.to_string(),
        },
        Some(ErrorCode::PermissionDenied) => LedgerError::Io {
            path,
            why: "permission denied".to_owned(),
        },
        Some(_) => LedgerError::Sqlite {
            path,
            why: error.to_string(),
        },
        // Not from SQLite: a value of a type that this program never writes.
        None => LedgerError::Damaged {
            path,
            why: error.to_string(),
        },
    }
}
