//! Three bit vectors per row: the columns and diagonals that enter it.
//!
//! The representation the recitation on bit vectors ends with, and the one the question
//! on n-queens in MIPS asks for. Bit `c` stands for column `c`. `down` holds the columns
//! taken; `left` and `right` hold where the diagonals of the queens above cross the row,
//! and move one place per row. All free squares of a row come out of one expression,
//! `possible = !(down | left | right) & mask`, and `place = possible & -possible` is the
//! first of them, the lowest bit, hence the leftmost column of our boards.
//!
//! ```text
//!              column 0 is the lowest bit, written last
//!  . Q . .     row 1:  down 0010   left 0100   right 0001   possible 1000
//!  . . . Q     row 2:  down 1010   left 1000   right 0100   possible 0001
//! ```
//!
//! `left` shifts towards higher columns and `right` towards lower ones. For a listener, the board
//! keeps the vectors of each row; a silent count holds them in registers, and is the recitation's
//! function line by line.

use super::{Representation, SearchBoard};
use crate::search::{Event, Hears, Observer, Search, Stage, Verdict};

/// The three bit vectors that enter one row.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct RowBits {
    /// Where the diagonals that run down towards higher columns cross this row.
    pub left: u32,
    /// The columns of the queens above.
    pub down: u32,
    /// Where the diagonals that run down towards lower columns cross this row.
    pub right: u32,
}

impl RowBits {
    /// The free squares of the row, before any of them was tried.
    pub fn possible(self, mask: u32) -> u32 {
        !(self.down | self.left | self.right) & mask
    }

    /// The vectors of the next row when a queen is put on `place`.
    ///
    /// ```
    /// use queens::board::bitmask::RowBits;
    ///
    /// let next = RowBits::default().below(0b0010, 0b1111);
    /// assert_eq!(next, RowBits { left: 0b0100, down: 0b0010, right: 0b0001 });
    /// assert_eq!(next.possible(0b1111), 0b1000);
    /// ```
    #[must_use]
    #[inline]
    pub fn below(self, place: u32, mask: u32) -> RowBits {
        RowBits {
            left: (self.left | place) << 1 & mask,
            down: self.down | place,
            right: (self.right | place) >> 1,
        }
    }
}

/// A board that keeps three bit vectors per row.
#[derive(Clone, Debug)]
pub struct Bitmask {
    n: usize,
    mask: u32,
    queens: usize,
    /// The vectors that enter each row, and those that would enter a row below the last. Entries
    /// beyond `queens` are left over from queens that are gone. An array, because listing stores
    /// into it at every step.
    rows: [RowBits; Representation::Bitmask.largest_n() + 1],
}

impl PartialEq for Bitmask {
    fn eq(&self, other: &Self) -> bool {
        (self.n, self.queens) == (other.n, other.queens)
            && self.rows[..=self.queens] == other.rows[..=other.queens]
    }
}

impl Eq for Bitmask {}

impl Bitmask {
    /// `n` ones: the columns of the board.
    pub fn mask(&self) -> u32 {
        self.mask
    }

    /// The vectors that enter `row`; rows `0..row` must hold their queens.
    ///
    /// ```
    /// use queens::board::{Bitmask, SearchBoard, bitmask::RowBits};
    ///
    /// let mut board = Bitmask::new(4);
    /// board.place(0, 1);
    /// board.place(1, 3);
    /// assert_eq!(board.row(2), RowBits { left: 0b1000, down: 0b1010, right: 0b0100 });
    /// ```
    ///
    /// # Panics
    ///
    /// When a row above is empty.
    pub fn row(&self, row: usize) -> RowBits {
        assert!(row <= self.queens, "row {row} has empty rows above it");
        self.rows[row]
    }

    /// Leaves the first undecided row empty: its vectors go on to the next row, those of the
    /// diagonals shifted by one.
    pub(crate) fn skip(&mut self, row: usize) {
        self.rows[row + 1] = self.rows[row].below(0, self.mask);
        self.queens = row + 1;
    }

    /// The recitation's recursive function, and the events of each of its steps.
    ///
    /// It differs from the page in three ways that make it as fast as gcc makes the page:
    /// it is given the columns that are still `open` in place of those taken, so that
    /// `mask` need not be carried along; it adds to a running `count`; and a call that
    /// would return at once is answered by the caller. The board itself is only there for
    /// a listener: when nobody listens every use of it is compiled away. The row is read off the
    /// board and is no argument, because the compiler does not remove an argument that is only
    /// passed on, plus one.
    fn queens<O: Observer<Self>>(
        &mut self,
        open: u32,
        left: u32,
        right: u32,
        mut possible: u32,
        mut count: u64,
        stage: &mut Stage<O>,
    ) -> u64 {
        let listened = O::HEARS == Hears::Everything;
        let row = if O::HEARS == Hears::Nothing {
            0
        } else {
            self.queens
        };
        let before = count;
        let mut untold = 0;
        stage.tell(Event::Enter { row }, self);
        if listened && open == 0 {
            stage.tell_solution(self);
            count += 1;
        } else if listened && !stage.opens(row) {
            (possible, untold) = (0, self.n);
        } else if listened && possible == 0 {
            self.tell_refused(row, &mut untold, self.n, stage);
            stage.tell(Event::DeadEnd { row }, self);
        }
        while possible != 0 {
            let place = possible & possible.wrapping_neg();
            let col = place.trailing_zeros() as usize;
            if listened {
                self.tell_refused(row, &mut untold, col, stage);
                untold = col + 1;
                stage.tell(
                    Event::Try {
                        row,
                        col,
                        verdict: Verdict::Free,
                    },
                    self,
                );
                if stage.stopped() {
                    return count;
                }
            }
            let open = open ^ place;
            let left = (left | place) << 1;
            let right = (right | place) >> 1;
            let below = open & !(left | right);
            if O::HEARS != Hears::Nothing {
                let down = !open & self.mask;
                self.rows[row + 1] = RowBits {
                    left: left & self.mask,
                    down,
                    right,
                };
                self.queens = row + 1;
            }
            stage.tell(Event::Place { row, col }, self);
            if below != 0 || listened {
                count = self.queens(open, left, right, below, count, stage);
            } else if open == 0 {
                stage.tell_solution(self);
                count += 1;
            }
            if stage.stopped() {
                return count;
            }
            if O::HEARS != Hears::Nothing {
                self.queens = row;
            }
            stage.tell(Event::Undo { row, col }, self);
            possible ^= place;
        }
        if listened && open != 0 {
            self.tell_refused(row, &mut untold, self.n, stage);
        }
        stage.tell(
            Event::Leave {
                row,
                solutions: count - before,
            },
            self,
        );
        count
    }

    /// Tells a listener of the squares that `possible` skipped, in order, up to `end`.
    fn tell_refused<O: Observer<Self>>(
        &self,
        row: usize,
        untold: &mut usize,
        end: usize,
        stage: &mut Stage<O>,
    ) {
        while *untold < end {
            let col = *untold;
            *untold += 1;
            let attack = self
                .attack(row, col)
                .expect("a square that is not possible is attacked");
            stage.tell(
                Event::Try {
                    row,
                    col,
                    verdict: Verdict::Refused(attack),
                },
                self,
            );
        }
    }
}

impl SearchBoard for Bitmask {
    fn new(n: usize) -> Self {
        Representation::Bitmask.assert_holds(n);
        // The shift is done in 64 bits because n = 32 would overflow a 32-bit one.
        let mask = ((1u64 << n) - 1) as u32;
        Bitmask {
            n,
            mask,
            queens: 0,
            rows: [RowBits::default(); Representation::Bitmask.largest_n() + 1],
        }
    }

    fn n(&self) -> usize {
        self.n
    }

    fn queen(&self, row: usize) -> Option<usize> {
        (row < self.queens)
            .then(|| (self.rows[row].down ^ self.rows[row + 1].down).trailing_zeros() as usize)
            .filter(|&col| col < self.n)
    }

    fn is_free(&self, row: usize, col: usize) -> bool {
        self.row(row).possible(self.mask) >> col & 1 == 1
    }

    fn place(&mut self, row: usize, col: usize) {
        self.rows[row + 1] = self.rows[row].below(1 << col, self.mask);
        self.queens = row + 1;
    }

    fn remove(&mut self, row: usize, _col: usize) {
        self.queens = row;
    }

    fn copy_cols(&self, cols: &mut [usize]) {
        for (col, rows) in cols.iter_mut().zip(self.rows.windows(2)) {
            *col = (rows[0].down ^ rows[1].down).trailing_zeros() as usize;
        }
    }
}

impl Search for Bitmask {
    fn descend<O: Observer<Self>>(&mut self, row: usize, stage: &mut Stage<O>) -> u64 {
        let bits = self.row(row);
        let open = !bits.down & self.mask;
        let possible = bits.possible(self.mask);
        if open == 0 && O::HEARS != Hears::Everything {
            // Without a row left to try the loop would never see this solution.
            stage.tell_solution(self);
            return 1;
        }
        self.queens = row;
        self.queens(open, bits.left, bits.right, possible, 0, stage)
    }
}
