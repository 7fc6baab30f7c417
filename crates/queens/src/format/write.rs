//! Writing a stream of placements in one format.
//!
//! A writer appends to a buffer that the caller owns and empties, so that the library
//! touches no file and a listing allocates nothing per solution. It knows what has to
//! stand before the first placement (the header of `csv`) and between two (the blank line
//! between boards).

use std::convert::Infallible;
use std::fmt;

use super::{Format, board, csv, fen, json, tuple, unicode, zero_based};
use crate::origin::Origin;
use crate::placement::{Placement, Square};
use crate::solution::Solution;

/// Why a placement cannot be written in a format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum WriteError {
    /// A row holds more than one queen, and the format shows one.
    CrowdedRow {
        /// The row, from 0.
        row: usize,
        /// The format asked for.
        format: Format,
    },
    /// The placement has another size than the stream.
    OtherSize {
        /// The size the stream began with.
        expected: usize,
        /// The size of the placement.
        got: usize,
    },
}

/// Counts from 1, with `{:#}` from 0.
impl fmt::Display for WriteError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            WriteError::CrowdedRow { row, format } => write!(
                f,
                "row {} holds more than one queen, which the format {format} cannot show",
                Origin::of(f).number(*row)
            ),
            WriteError::OtherSize { expected, got } => write!(
                f,
                "a board of size {got} in a stream of boards of size {expected}"
            ),
        }
    }
}

impl std::error::Error for WriteError {}

/// A solution or a placement together with the format to show it in.
///
/// Made by [`Solution::display`] and [`Placement::display`].
#[derive(Clone, Copy, Debug)]
pub struct Formatted<'a> {
    what: What<'a>,
    format: Format,
}

#[derive(Clone, Copy, Debug)]
enum What<'a> {
    Solution(&'a Solution),
    Placement(&'a Placement),
}

impl<'a> Formatted<'a> {
    pub(crate) fn solution(solution: &'a Solution, format: Format) -> Formatted<'a> {
        let what = What::Solution(solution);
        Formatted { what, format }
    }

    pub(crate) fn placement(
        placement: &'a Placement,
        format: Format,
    ) -> Result<Formatted<'a>, WriteError> {
        can_show(format, placement)?;
        let what = What::Placement(placement);
        Ok(Formatted { what, format })
    }
}

impl fmt::Display for Formatted<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let n = match self.what {
            What::Solution(solution) => solution.n(),
            What::Placement(placement) => placement.n(),
        };
        let mut out = Vec::new();
        let mut writer = Writer::new(self.format, n, false);
        writer.begin(&mut out);
        match self.what {
            What::Solution(solution) => writer.solution(solution, None, &mut out),
            What::Placement(placement) => writer.placement(placement, None, &mut out),
        }
        .map_err(|_| fmt::Error)?;
        let text = String::from_utf8(out).map_err(|_| fmt::Error)?;
        f.pad(text.strip_suffix('\n').unwrap_or(&text))
    }
}

/// Fails if a row holds two queens and the format can show only one; otherwise says whether a row
/// holds two.
fn can_show(format: Format, placement: &Placement) -> Result<bool, WriteError> {
    match placement.crowded_row() {
        Some(row) if !format.holds_crowded_rows() => Err(WriteError::CrowdedRow { row, format }),
        crowded => Ok(crowded.is_some()),
    }
}

/// Writes placements of one size in one format.
///
/// ```
/// use queens::format::{Format, Writer};
///
/// let mut out = Vec::new();
/// let mut writer = Writer::new(Format::Csv, 4, false);
/// writer.begin(&mut out);
/// for solution in queens::solutions(4) {
///     writer.solution(&solution, None, &mut out)?;
/// }
/// assert_eq!(out, b"row1,row2,row3,row4\n2,4,1,3\n3,1,4,2\n");
///
/// let other = writer.solution(&queens::first(8).unwrap(), None, &mut out).unwrap_err();
/// assert_eq!(other.to_string(), "a board of size 8 in a stream of boards of size 4");
/// # Ok::<(), queens::format::WriteError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Writer {
    format: Format,
    n: usize,
    class_sizes: bool,
    first: bool,
}

impl Writer {
    /// A writer of placements on an `n` by `n` board. `class_sizes` says whether each one
    /// will come with the size of its class, for which `csv` needs a column.
    pub fn new(format: Format, n: usize, class_sizes: bool) -> Writer {
        Writer {
            format,
            n,
            class_sizes,
            first: true,
        }
    }

    /// Writes what stands before the first placement. Call it once, even if no placement follows.
    pub fn begin(&mut self, out: &mut Vec<u8>) {
        if self.format == Format::Csv {
            let Ok(()) = csv::header(self.n, self.class_sizes, out, keep);
        }
    }

    /// Writes one placement.
    ///
    /// # Errors
    ///
    /// If the placement has another size than the writer, or the format cannot show it. In
    /// both cases nothing is written.
    pub fn placement(
        &mut self,
        placement: &Placement,
        class_size: Option<usize>,
        out: &mut Vec<u8>,
    ) -> Result<(), WriteError> {
        self.check_size(placement.n())?;
        let crowded = can_show(self.format, placement)?;
        let queens = placement.queens().iter().copied();
        self.write(queens, crowded, class_size, out);
        Ok(())
    }

    /// Writes one solution.
    ///
    /// # Errors
    ///
    /// If the solution has another size than the writer; then nothing is written.
    #[inline]
    pub fn solution(
        &mut self,
        solution: &Solution,
        class_size: Option<usize>,
        out: &mut Vec<u8>,
    ) -> Result<(), WriteError> {
        self.check_size(solution.n())?;
        self.write(solution.queens(), false, class_size, out);
        Ok(())
    }

    fn check_size(&self, n: usize) -> Result<(), WriteError> {
        match n == self.n {
            true => Ok(()),
            false => Err(WriteError::OtherSize {
                expected: self.n,
                got: n,
            }),
        }
    }

    #[inline]
    fn write(
        &mut self,
        queens: impl Iterator<Item = Square>,
        crowded: bool,
        class_size: Option<usize>,
        out: &mut Vec<u8>,
    ) {
        let n = self.n;
        if matches!(self.format, Format::Board | Format::Unicode) {
            if !self.first {
                out.push(b'\n');
            }
            if let Some(size) = class_size {
                comment(size, out);
                out.push(b'\n');
            }
        }
        self.first = false;
        let Ok(()) = match self.format {
            Format::Tuple => tuple::write(n, queens, out, keep),
            Format::ZeroBased => zero_based::write(n, queens, out, keep),
            Format::Board => return no_error(board::write(n, queens, out, keep)),
            Format::Unicode => return no_error(unicode::write(n, queens, out, keep)),
            Format::Fen => fen::write(n, queens, out, keep),
            Format::Json => return json::write(n, queens, crowded, class_size, out),
            Format::Csv => return no_error(csv::write(n, queens, class_size, out, keep)),
        };
        if let Some(size) = class_size {
            out.push(b' ');
            comment(size, out);
        }
        out.push(b'\n');
    }
}

/// Leaves the text of a row where it is.
#[inline]
fn keep(_: &mut Vec<u8>) -> Result<(), Infallible> {
    Ok(())
}

#[inline]
fn no_error(result: Result<(), Infallible>) {
    let Ok(()) = result;
}

/// Writes one solution without holding it: its columns come one by one, from row 0, and its text
/// goes to `send` in pieces of some 64 KiB or, if it is drawn, of whole rows.
///
/// ```
/// use queens::{Format, construct, format};
///
/// let mut length = 0;
/// let cols = construct::cols(100_000).unwrap();
/// format::stream(Format::Tuple, 100_000, cols, |piece| {
///     length += piece.len(); // or a write to a file
///     Ok::<(), std::io::Error>(())
/// })?;
/// assert_eq!(length, 688_896);
/// # Ok::<(), std::io::Error>(())
/// ```
///
/// # Errors
///
/// Those of `send`.
pub fn stream<E>(
    format: Format,
    n: usize,
    cols: impl Iterator<Item = usize>,
    mut send: impl FnMut(&[u8]) -> Result<(), E>,
) -> Result<(), E> {
    const PIECE: usize = 1 << 16;
    let mut buffer = Vec::with_capacity(PIECE + 64);
    let out = &mut buffer;
    let send_pieces = |out: &mut Vec<u8>| {
        if out.len() < PIECE {
            return Ok(());
        }
        let sent = send(out);
        out.clear();
        sent
    };
    let queens = cols.enumerate().map(|(row, col)| Square::new(row, col));
    match format {
        Format::Tuple => tuple::write(n, queens, out, send_pieces)?,
        Format::ZeroBased => zero_based::write(n, queens, out, send_pieces)?,
        Format::Board => board::write(n, queens, out, send_pieces)?,
        Format::Unicode => unicode::write(n, queens, out, send_pieces)?,
        Format::Fen => fen::write(n, queens, out, send_pieces)?,
        Format::Json => return json::stream(n, queens.map(|queen| queen.col), send),
        Format::Csv => {
            let mut send_pieces = send_pieces;
            csv::header(n, false, out, &mut send_pieces)?;
            csv::write(n, queens, None, out, send_pieces)?;
        }
    }
    if !matches!(format, Format::Board | Format::Unicode | Format::Csv) {
        buffer.push(b'\n');
    }
    send(&buffer)
}

fn comment(class_size: usize, out: &mut Vec<u8>) {
    out.extend_from_slice(b"# class of ");
    super::push_number(out, class_size);
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Both solutions for n = 4 as every format shows them: the examples of the manual.
    fn listed(format: Format, class_size: Option<usize>) -> String {
        let mut out = Vec::new();
        let mut writer = Writer::new(format, 4, class_size.is_some());
        writer.begin(&mut out);
        for solution in crate::solutions(4) {
            let written = writer.solution(&solution, class_size, &mut out);
            assert_eq!(written, Ok(()));
        }
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn a_solution_of_another_size_is_refused_as_a_placement_is() {
        let (mut writer, mut out) = (Writer::new(Format::Tuple, 4, false), Vec::new());
        let five = crate::first(5).unwrap();
        let (expected, got) = (4, 5);
        let refused = Err(WriteError::OtherSize { expected, got });
        assert_eq!(writer.solution(&five, None, &mut out), refused);
        let five = Placement::from(five);
        assert_eq!(writer.placement(&five, None, &mut out), refused);
        assert!(out.is_empty());
    }

    #[test]
    fn a_crowded_row_counts_from_what_is_asked_for() {
        let queens = [Square::new(1, 0), Square::new(1, 2)];
        let crowded = Placement::new(3, queens).unwrap();
        let error = crowded.display(Format::Tuple).unwrap_err();
        assert!(format!("{error}").starts_with("row 2 holds"));
        assert!(format!("{error:#}").starts_with("row 1 holds"));
    }

    #[test]
    fn a_stream_writes_what_the_writer_writes() {
        for format in Format::ALL {
            // The text of 30,000 rows is longer than a piece, and so is that of 300 drawn ones.
            let long = match format {
                Format::Board | Format::Unicode => 300,
                _ => 30_000,
            };
            for n in [0, 1, 4, long] {
                let cols = crate::construct::cols(n).unwrap();
                let (mut streamed, mut pieces) = (Vec::new(), 0);
                let sent = stream(format, n, cols, |piece| {
                    streamed.extend_from_slice(piece);
                    pieces += 1;
                    Ok::<(), ()>(())
                });
                assert_eq!(sent, Ok(()));
                let mut whole = Vec::new();
                let mut writer = Writer::new(format, n, false);
                writer.begin(&mut whole);
                let solution = crate::construct::solution(n).unwrap();
                assert_eq!(writer.solution(&solution, None, &mut whole), Ok(()));
                assert!(streamed == whole, "{format}, n = {n}");
                assert_eq!(pieces > 1, n == long, "{format}, n = {n}");
            }
            let cols = crate::construct::cols(long).unwrap();
            assert_eq!(stream(format, long, cols, |_| Err(7)), Err(7), "{format}");
        }
    }

    #[test]
    fn every_format_looks_as_documented() {
        for (format, expected) in [
            (Format::Tuple, "(2, 4, 1, 3)\n(3, 1, 4, 2)\n"),
            (Format::ZeroBased, "[1, 3, 0, 2]\n[2, 0, 3, 1]\n"),
            (
                Format::Board,
                ". Q . .\n. . . Q\nQ . . .\n. . Q .\n\n. . Q .\nQ . . .\n. . . Q\n. Q . .\n",
            ),
            (
                Format::Unicode,
                "· ♛ · ·\n· · · ♛\n♛ · · ·\n· · ♛ ·\n\n· · ♛ ·\n♛ · · ·\n· · · ♛\n· ♛ · ·\n",
            ),
            (
                Format::Fen,
                "1Q2/3Q/Q3/2Q1 w - - 0 1\n2Q1/Q3/3Q/1Q2 w - - 0 1\n",
            ),
            (
                Format::Json,
                "{\"n\":4,\"cols\":[1,3,0,2]}\n{\"n\":4,\"cols\":[2,0,3,1]}\n",
            ),
            (Format::Csv, "row1,row2,row3,row4\n2,4,1,3\n3,1,4,2\n"),
        ] {
            assert_eq!(listed(format, None), expected, "{format:?}");
        }
    }

    #[test]
    fn class_sizes_ride_along() {
        for (format, expected) in [
            (Format::Tuple, "(2, 4, 1, 3) # class of 2\n"),
            (Format::ZeroBased, "[1, 3, 0, 2] # class of 2\n"),
            (Format::Board, "# class of 2\n. Q . .\n"),
            (Format::Unicode, "# class of 2\n· ♛ · ·\n"),
            (Format::Fen, "1Q2/3Q/Q3/2Q1 w - - 0 1 # class of 2\n"),
            (
                Format::Json,
                "{\"n\":4,\"cols\":[1,3,0,2],\"class_size\":2}\n",
            ),
            (Format::Csv, "row1,row2,row3,row4,class_size\n2,4,1,3,2\n"),
        ] {
            let text = listed(format, Some(2));
            assert!(text.starts_with(expected), "{format:?}: {text}");
        }
    }

    #[test]
    fn what_a_format_cannot_show_is_refused_and_leaves_no_trace() {
        let crowd = [Square::new(1, 0), Square::new(1, 1)];
        let crowd = Placement::new(2, crowd).unwrap();
        for format in Format::ALL {
            let mut out = Vec::new();
            let written = Writer::new(format, 2, false).placement(&crowd, None, &mut out);
            assert_eq!(written.is_ok(), format.holds_crowded_rows(), "{format:?}");
            assert_eq!(out.is_empty(), written.is_err(), "{format:?}");
        }
        let other = Writer::new(Format::Board, 3, false).placement(&crowd, None, &mut Vec::new());
        assert_eq!(
            other.unwrap_err().to_string(),
            "a board of size 2 in a stream of boards of size 3"
        );
    }
}
