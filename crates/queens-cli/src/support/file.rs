//! Files that a verb writes: whole or not at all, and never over a campaign.

use std::fs::File;
use std::io::{BufWriter, Read, Write};
use std::path::Path;

use anyhow::{Context, bail};
use queens_campaign::ledger::MAGIC;

/// Writes a file beside its place and renames it, so that nobody ever sees half of it, and what
/// stood there stays when writing fails. A campaign, which may have taken weeks, is not replaced.
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
    // What is no file, such as /dev/stdout or a pipe, can only be written to.
    let special = std::fs::metadata(path).is_ok_and(|there| !there.is_file());
    if special {
        let mut out = BufWriter::new(File::create(path).with_context(writing)?);
        write(&mut out).with_context(writing)?;
        return out.flush().with_context(writing);
    }
    let mut draft = path.as_os_str().to_owned();
    draft.push(".draft");
    let to_draft = || {
        let mut out = BufWriter::new(File::create(&draft).with_context(writing)?);
        write(&mut out).with_context(writing)?;
        out.flush().with_context(writing)?;
        drop(out);
        std::fs::rename(&draft, path).with_context(writing)
    };
    to_draft().inspect_err(|_| {
        let _ = std::fs::remove_file(&draft);
    })
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
