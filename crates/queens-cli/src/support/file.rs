//! Files that a verb writes: whole or not at all, and never over a campaign.

use std::ffi::OsString;
use std::fs::File;
use std::io::{BufWriter, ErrorKind, Read, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use queens_campaign::ledger::MAGIC;

/// Writes a draft beside the file and renames it, so that nobody ever sees half a file, and the
/// old one stays if writing fails. A campaign, which may have taken weeks, is not replaced.
pub fn replace(
    path: &Path,
    write: impl FnOnce(&mut dyn Write) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    if is_database(path) {
        bail!(
            "{} is a campaign, or another database; it is not replaced",
            path.display()
        );
    }
    let writing = || format!("cannot write {}", path.display());
    // A device or a pipe, such as /dev/stdout, cannot be replaced, only written to.
    let special = std::fs::metadata(path).is_ok_and(|there| !there.is_file());
    if special {
        let mut out = BufWriter::new(File::create(path).with_context(writing)?);
        write(&mut out).with_context(writing)?;
        return out.flush().with_context(writing);
    }
    let (draft, file) = draft_beside(path).with_context(writing)?;
    let to_draft = || {
        let mut out = BufWriter::new(file);
        write(&mut out).with_context(writing)?;
        out.flush().with_context(writing)?;
        drop(out);
        std::fs::rename(&draft, path).with_context(writing)
    };
    to_draft().inspect_err(|_| {
        let _ = std::fs::remove_file(&draft);
    })
}

/// A new file beside `path`. A file that already has its name stays as it is, and so does what a
/// link of that name points to.
fn draft_beside(path: &Path) -> std::io::Result<(PathBuf, File)> {
    let mut number = 0_u32;
    loop {
        let mut name = OsString::from(path);
        name.push(format!(".draft-{}-{number}", std::process::id()));
        let draft = PathBuf::from(name);
        match File::create_new(&draft) {
            Err(e) if e.kind() == ErrorKind::AlreadyExists && number < 1_000 => number += 1,
            outcome => return outcome.map(|file| (draft, file)),
        }
    }
}

fn is_database(path: &Path) -> bool {
    let is_file = std::fs::metadata(path).is_ok_and(|there| there.is_file());
    let mut start = Vec::new();
    is_file
        && File::open(path)
            .and_then(|file| file.take(MAGIC.len() as u64).read_to_end(&mut start))
            .is_ok()
        && start == MAGIC
}
