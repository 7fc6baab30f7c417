//! Standard output, buffered, where no write error gets lost.
//!
//! `println!` panics when the pipe is closed, and a `BufWriter` that is dropped swallows
//! the error of its last flush: a full disk would truncate a list in silence. [`Out`] has
//! neither fault. Every write returns its error, [`Out::finish`] flushes and must be
//! called, and the two kinds of failure are told apart: a reader that closed the pipe is
//! recognised by [`is_closed_pipe`] in `main` and ends the program quietly, everything
//! else is reported. The marker is attached here, so a broken pipe of any *other* file or
//! socket is still an error.
//!
//! On a terminal every line appears at once; elsewhere lines travel in blocks of 64 KiB.

use std::io::{self, IsTerminal, StdoutLock, Write};

use anyhow::Context;

const BLOCK: usize = 64 * 1024;

/// Standard output for the answer of a verb.
pub struct Out {
    stdout: StdoutLock<'static>,
    buffer: Vec<u8>,
    block: usize,
}

impl Out {
    /// Locks standard output for this thread until the value is dropped.
    pub fn stdout() -> Out {
        let stdout = io::stdout().lock();
        let block = if stdout.is_terminal() { 0 } else { BLOCK };
        Out {
            stdout,
            buffer: Vec::with_capacity(BLOCK + 4096),
            block,
        }
    }

    /// Writes text as it is.
    pub fn text(&mut self, text: &str) -> anyhow::Result<()> {
        self.bytes(text.as_bytes())
    }

    /// Writes text and a line feed.
    pub fn line(&mut self, text: &str) -> anyhow::Result<()> {
        self.record(|buffer| {
            buffer.extend_from_slice(text.as_bytes());
            buffer.push(b'\n');
        })
    }

    /// Writes bytes as they are.
    pub fn bytes(&mut self, bytes: &[u8]) -> anyhow::Result<()> {
        self.record(|buffer| buffer.extend_from_slice(bytes))
    }

    /// Lets `fill` append to the buffer, then sends the buffer on if it is full: the way
    /// to write millions of short records without a copy or an allocation for each.
    #[inline]
    pub fn record(&mut self, fill: impl FnOnce(&mut Vec<u8>)) -> anyhow::Result<()> {
        fill(&mut self.buffer);
        if self.buffer.len() >= self.block {
            self.send()
        } else {
            Ok(())
        }
    }

    /// The same, for a `fill` that can fail.
    pub fn try_record<E>(
        &mut self,
        fill: impl FnOnce(&mut Vec<u8>) -> Result<(), E>,
    ) -> anyhow::Result<()>
    where
        anyhow::Error: From<E>,
    {
        fill(&mut self.buffer)?;
        self.record(|_| {})
    }

    /// Sends on everything and ends the output. A verb must call this before it reports
    /// success; until then, nothing is known to have arrived.
    pub fn finish(mut self) -> anyhow::Result<()> {
        self.send()
    }

    fn send(&mut self) -> anyhow::Result<()> {
        let sent = self
            .stdout
            .write_all(&self.buffer)
            .and_then(|()| self.stdout.flush());
        // Cleared in any case: what could not be written once must not be tried again.
        self.buffer.clear();
        sent.map_err(mark)
            .context("cannot write to standard output")
    }
}

/// For code that wants a plain writer, such as `writeln!` and serializers. The errors are
/// marked just as those of the methods above.
impl Write for Out {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.write_all(bytes)?;
        Ok(bytes.len())
    }

    fn write_all(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.bytes(bytes).map_err(unwrap_io)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.send().map_err(unwrap_io)
    }
}

/// Marks a failure as the closed pipe of standard output, not of anything else.
#[derive(Debug)]
struct ClosedPipe;

impl std::fmt::Display for ClosedPipe {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("the reader closed the pipe")
    }
}

impl std::error::Error for ClosedPipe {}

fn mark(error: io::Error) -> io::Error {
    if error.kind() == io::ErrorKind::BrokenPipe {
        io::Error::new(io::ErrorKind::BrokenPipe, ClosedPipe)
    } else {
        error
    }
}

fn unwrap_io(error: anyhow::Error) -> io::Error {
    error.downcast().unwrap_or_else(io::Error::other)
}

/// Whether `error` means that the reader of standard output closed the pipe.
pub fn is_closed_pipe(error: &anyhow::Error) -> bool {
    error.chain().any(|cause| {
        cause
            .downcast_ref::<io::Error>()
            .and_then(io::Error::get_ref)
            .is_some_and(|inner| inner.is::<ClosedPipe>())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_pipe_of_standard_output_counts_as_closed() {
        let ours = anyhow::Error::new(mark(io::ErrorKind::BrokenPipe.into())).context("writing");
        let other = anyhow::Error::new(io::Error::from(io::ErrorKind::BrokenPipe));
        assert!(is_closed_pipe(&ours));
        assert!(!is_closed_pipe(&other));
    }

    #[test]
    fn the_marker_survives_the_plain_writer() {
        let error = anyhow::Error::new(mark(io::ErrorKind::BrokenPipe.into())).context("writing");
        assert!(is_closed_pipe(&anyhow::Error::new(unwrap_io(error))));
    }
}
