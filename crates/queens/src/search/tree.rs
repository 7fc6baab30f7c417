//! The search tree: a node per partial solution, built from the events of the search.
//!
//! The root is the empty board; a node of level `k` is a placement of `k` queens in the
//! first `k` rows, none attacking another; its children are the free squares of the next
//! row. A node without children is a dead end or, on level `n`, a solution. This is the
//! 4-queens tree of BACS2063 chapter 6, for any `n`. On the plain board the number of nodes per
//! level is the sequence A319284 of the OEIS. If rows may stay empty, a node of level `k` has
//! decided `k` rows, and its first child may be the empty row.
//!
//! Trees grow quickly (2057 nodes for n = 8, 35 539 for n = 10), so a [`Tree`] may be cut
//! at a depth, and a [`Limit`] says how much is too much for a picture. A tree beyond its limit is
//! refused with the largest depth that would fit; the search stops at the first node too many, so
//! refusing costs little even for a large board.

use std::fmt;
use std::ops::ControlFlow;

use super::rows::{LARGEST_N, Rows};
use super::{Event, Observer, Verdict};
use crate::Board;
use crate::line::Attack;
use crate::search::Hears;

/// What a node of the tree is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// It has children.
    Inner,
    /// The next row has no free square.
    DeadEnd,
    /// All queens stand.
    Solution,
    /// It lies at the depth where the tree was cut, so its children are not known.
    Cut,
}

impl Kind {
    /// One word, for JSON.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Inner => "inner",
            Kind::DeadEnd => "dead-end",
            Kind::Solution => "solution",
            Kind::Cut => "cut",
        }
    }
}

/// A partial solution.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Node {
    /// The columns of its queens, from row 0; none where a row stays empty.
    pub cols: Vec<Option<usize>>,
    /// What it is.
    pub kind: Kind,
    /// The nodes with one row more, an empty one first, then from left to right, as indices of
    /// [`Tree::nodes`].
    pub children: Vec<usize>,
    /// The refused squares of the next row, each with the queen that refuses it, from left
    /// to right.
    pub refused: Vec<Attack>,
    /// The columns of the next row that are blocked.
    pub blocked: Vec<usize>,
    /// How many solutions lie at or below it; 0 where the tree was cut.
    pub solutions: u64,
}

/// How large a tree may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limit {
    /// The most nodes.
    pub nodes: usize,
    /// The most nodes without children, which is how wide a drawing gets.
    pub leaves: usize,
}

impl Limit {
    /// For lists, which may be long.
    pub const LIST: Limit = Limit {
        nodes: 100_000,
        leaves: usize::MAX,
    };
    /// For Graphviz, which takes long to lay out larger trees.
    pub const DOT: Limit = Limit {
        nodes: 10_000,
        leaves: usize::MAX,
    };
    /// For a drawing that a person can read: all of n = 6 fits, n = 7 does not.
    pub const DRAWING: Limit = Limit {
        nodes: 400,
        leaves: 100,
    };
}

/// Which number of a [`Limit`] a tree exceeds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exceeded {
    /// It has more nodes.
    Nodes,
    /// Its nodes are not too many, but those without children are.
    Leaves,
}

/// Why there is no tree.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum TreeError {
    /// It would be larger than its limit.
    TooLarge {
        /// The size of the board.
        n: usize,
        /// The limit.
        limit: Limit,
        /// Which number of the limit it exceeds.
        exceeded: Exceeded,
        /// The largest depth that would fit.
        depth: Option<usize>,
    },
    /// The board is larger than any that is searched row by row.
    BoardTooLarge {
        /// The size of the board.
        n: usize,
    },
}

impl fmt::Display for TreeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (n, limit, exceeded, depth) = match self {
            TreeError::TooLarge {
                n,
                limit,
                exceeded,
                depth,
            } => (n, limit, exceeded, depth),
            TreeError::BoardTooLarge { n } => {
                return write!(f, "a search tree is shown up to N = {LARGEST_N}, not {n}");
            }
        };
        let exceeded = match exceeded {
            Exceeded::Nodes => format!("more than {} nodes", limit.nodes),
            Exceeded::Leaves => format!("more than {} leaves", limit.leaves),
        };
        write!(
            f,
            "the search tree for N = {n} has {exceeded}, too many for this format; "
        )?;
        match depth {
            Some(depth) => write!(f, "try depth {depth}"),
            None => f.write_str("no depth makes it small enough"),
        }
    }
}

impl std::error::Error for TreeError {}

/// A search tree. The root is node 0 and every parent comes before its children.
///
/// ```
/// use queens::search::tree::{Kind, Limit, Tree};
///
/// let tree = Tree::build(4, None, Limit::LIST).unwrap();
/// assert_eq!(tree.levels(), [1, 4, 6, 4, 2]);
/// let dead_ends = tree.nodes.iter().filter(|node| node.kind == Kind::DeadEnd);
/// assert_eq!(dead_ends.count(), 4);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tree {
    /// The size of the board.
    pub n: usize,
    /// The board that is searched.
    pub board: Board,
    /// The depth at which the tree was cut, if it was.
    pub depth: Option<usize>,
    /// The nodes, in the order in which the search meets them.
    pub nodes: Vec<Node>,
}

/// Counts the nodes of a tree, up to its limit, and keeps none.
struct Measure {
    n: usize,
    depth: usize,
    limit: Limit,
    nodes: usize,
    leaves: usize,
    /// Whether the last node begun has no children so far.
    is_leaf: bool,
}

impl Measure {
    fn new(n: usize, depth: usize, limit: Limit) -> Measure {
        Measure {
            n,
            depth,
            limit,
            nodes: 0,
            leaves: 0,
            is_leaf: false,
        }
    }

    /// Whether the tree of a board is within the limit.
    fn of(mut self, board: &Board) -> Result<(), Exceeded> {
        if Rows::new(board).search(&mut self).is_break() {
            return Err(Exceeded::Nodes);
        }
        match self.leaves <= self.limit.leaves {
            true => Ok(()),
            false => Err(Exceeded::Leaves),
        }
    }
}

impl Observer<Rows<'_>> for Measure {
    const HEARS: Hears = Hears::Everything;

    fn event(&mut self, event: Event, _: &Rows<'_>) -> ControlFlow<()> {
        match event {
            Event::Enter { .. } => {
                if self.nodes == self.limit.nodes {
                    return ControlFlow::Break(());
                }
                self.nodes += 1;
                self.is_leaf = true;
            }
            Event::Leave { .. } => {
                self.leaves += usize::from(self.is_leaf);
                self.is_leaf = false;
            }
            _ => {}
        }
        ControlFlow::Continue(())
    }

    fn opens(&self, row: usize) -> bool {
        row < self.depth || row == self.n
    }
}

/// Builds a tree from events.
struct Builder {
    n: usize,
    depth: usize,
    nodes: Vec<Node>,
    open: Vec<usize>,
}

impl Observer<Rows<'_>> for Builder {
    const HEARS: Hears = Hears::Everything;

    fn event(&mut self, event: Event, rows: &Rows<'_>) -> ControlFlow<()> {
        match event {
            Event::Enter { row } => {
                let node = self.nodes.len();
                let cut = row >= self.depth && row < self.n;
                self.nodes.push(Node {
                    cols: rows.cols().to_vec(),
                    kind: if cut { Kind::Cut } else { Kind::Inner },
                    children: Vec::new(),
                    refused: Vec::new(),
                    blocked: Vec::new(),
                    solutions: 0,
                });
                if let Some(&parent) = self.open.last() {
                    self.nodes[parent].children.push(node);
                }
                self.open.push(node);
            }
            Event::Leave { solutions, .. } => {
                let node = self.open.pop().expect("an enter before every leave");
                self.nodes[node].solutions = solutions;
            }
            Event::Try {
                verdict: Verdict::Refused(attack),
                ..
            } => self.current().refused.push(attack),
            Event::Try {
                col,
                verdict: Verdict::Blocked,
                ..
            } => self.current().blocked.push(col),
            Event::DeadEnd { .. } => self.current().kind = Kind::DeadEnd,
            Event::Solution => self.current().kind = Kind::Solution,
            Event::Try { .. }
            | Event::Place { .. }
            | Event::Skip { .. }
            | Event::Undo { .. }
            | Event::Unskip { .. } => {}
        }
        ControlFlow::Continue(())
    }

    fn opens(&self, row: usize) -> bool {
        // There is no row n: the search tells of a solution there, or of too many queens.
        row < self.depth || row == self.n
    }
}

impl Builder {
    fn current(&mut self) -> &mut Node {
        let node = *self.open.last().expect("an enter before every other event");
        &mut self.nodes[node]
    }
}

impl Tree {
    /// The tree for a board of size `n`, cut at `depth` if one is given.
    ///
    /// # Errors
    ///
    /// When the tree is larger than `limit`, with a depth that would fit; when the board is larger
    /// than any that is searched row by row.
    pub fn build(n: usize, depth: Option<usize>, limit: Limit) -> Result<Tree, TreeError> {
        Tree::build_on(&Board::new(n), depth, limit)
    }

    /// The tree of any board: in the row of a given queen every node has one child, squares that
    /// she attacks are refused, and if there are fewer queens than rows, rows may stay empty.
    ///
    /// # Errors
    ///
    /// When the tree is too large, as for [`Tree::build`].
    ///
    /// ```
    /// use queens::Board;
    /// use queens::search::tree::{Limit, Tree};
    ///
    /// let board: Board = ". . . .\n. . . Q\n. . . .\n. . . .".parse()?;
    /// let tree = Tree::build_on(&board, None, Limit::LIST)?;
    /// assert_eq!(tree.levels(), [1, 2, 2, 2, 1]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn build_on(board: &Board, depth: Option<usize>, limit: Limit) -> Result<Tree, TreeError> {
        let n = board.n();
        let too_large = |exceeded, depth| TreeError::TooLarge {
            n,
            limit,
            exceeded,
            depth,
        };
        if n > LARGEST_N {
            return Err(TreeError::BoardTooLarge { n });
        }
        // Every measurement stops at the limit, so trying one depth after the other is quick.
        let measure = |depth| Measure::new(n, depth, limit).of(board);
        if let Err(exceeded) = measure(depth.unwrap_or(n)) {
            let fits = (1..n).take_while(|&d| measure(d).is_ok()).last();
            return Err(too_large(exceeded, fits));
        }
        let mut builder = Builder {
            n,
            depth: depth.unwrap_or(n),
            nodes: Vec::new(),
            open: Vec::new(),
        };
        let _never_stops = Rows::new(board).search(&mut builder);
        Ok(Tree {
            n,
            board: board.clone(),
            depth: depth.filter(|&d| d < n),
            nodes: builder.nodes,
        })
    }

    /// How many nodes each level has, from the root down.
    pub fn levels(&self) -> Vec<u64> {
        let deepest = self.nodes.iter().map(|node| node.cols.len()).max();
        let mut levels = vec![0; self.depth.unwrap_or(self.n).max(deepest.unwrap_or(0)) + 1];
        for node in &self.nodes {
            levels[node.cols.len()] += 1;
        }
        levels
    }

    /// How many nodes have no children.
    pub fn leaves(&self) -> usize {
        self.nodes.iter().filter(|n| n.children.is_empty()).count()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::{Bitmask, Columns, SearchBoard as _};
    use crate::search::search;

    /// The rows of A319284.
    const LEVELS: [&[u64]; 10] = [
        &[1],
        &[1, 1],
        &[1, 2, 0],
        &[1, 3, 2, 0],
        &[1, 4, 6, 4, 2],
        &[1, 5, 12, 14, 12, 10],
        &[1, 6, 20, 36, 46, 40, 4],
        &[1, 7, 30, 76, 140, 164, 94, 40],
        &[1, 8, 42, 140, 344, 568, 550, 312, 92],
        &[1, 9, 56, 234, 732, 1614, 2292, 2038, 1066, 352],
    ];

    #[test]
    fn nodes_per_level_follow_a319284() {
        for (n, levels) in LEVELS.iter().enumerate() {
            let tree = Tree::build(n, None, Limit::LIST).unwrap();
            assert_eq!(tree.levels(), *levels, "n = {n}");
            assert_eq!(tree.nodes[0].solutions, *levels.last().unwrap());
        }
    }

    #[test]
    fn a_cut_tree_is_the_top_of_the_whole_one() {
        for n in 1..=7 {
            let whole = Tree::build(n, None, Limit::LIST).unwrap();
            for depth in 0..=n {
                let cut = Tree::build(n, Some(depth), Limit::LIST).unwrap();
                let top: Vec<_> = whole
                    .nodes
                    .iter()
                    .filter(|x| x.cols.len() <= depth)
                    .collect();
                assert_eq!(cut.nodes.len(), top.len());
                for (a, b) in cut.nodes.iter().zip(top) {
                    assert_eq!(a.cols, b.cols);
                    if a.kind == Kind::Cut {
                        assert_eq!(a.cols.len(), depth);
                    } else {
                        assert_eq!((a.kind, &a.refused), (b.kind, &b.refused));
                    }
                }
            }
        }
    }

    /// Writes down all events of a search that opens no node at or below a depth.
    struct Shallow(usize, Vec<Event>);

    impl<B> Observer<B> for Shallow {
        const HEARS: Hears = Hears::Everything;

        fn event(&mut self, event: Event, _board: &B) -> ControlFlow<()> {
            self.1.push(event);
            ControlFlow::Continue(())
        }

        fn opens(&self, row: usize) -> bool {
            row < self.0
        }
    }

    #[test]
    fn bit_vectors_leave_the_same_nodes_unopened_as_the_other_boards() {
        for n in 0..=6 {
            for depth in 0..=n {
                let (mut plain, mut bits) = (Shallow(depth, vec![]), Shallow(depth, vec![]));
                let _ = search(&mut Columns::new(n), &mut plain);
                let _ = search(&mut Bitmask::new(n), &mut bits);
                assert_eq!(plain.1, bits.1, "n = {n}, depth {depth}");
            }
        }
    }

    #[test]
    fn children_and_refused_squares_make_up_a_row() {
        let tree = Tree::build(6, None, Limit::LIST).unwrap();
        for node in tree.nodes.iter().filter(|x| x.kind != Kind::Solution) {
            assert_eq!(node.children.len() + node.refused.len(), 6);
        }
    }

    #[test]
    fn a_tree_too_large_suggests_the_largest_depth_that_fits() {
        let error = Tree::build(8, None, Limit::DRAWING).unwrap_err();
        let TreeError::TooLarge {
            depth: Some(depth), ..
        } = error
        else {
            panic!("{error}");
        };
        assert!(Tree::build(8, Some(depth), Limit::DRAWING).is_ok());
        assert!(Tree::build(8, Some(depth + 1), Limit::DRAWING).is_err());
    }

    #[test]
    fn six_queens_are_drawn_whole_and_seven_are_not() {
        assert!(Tree::build(6, None, Limit::DRAWING).is_ok());
        assert!(Tree::build(7, None, Limit::DRAWING).is_err());
    }

    #[test]
    fn a_board_too_large_for_any_depth_says_so() {
        let fits_no_depth = "too many for this format; no depth makes it small enough";
        for (n, told) in [
            (200, fits_no_depth),
            (255, fits_no_depth),
            (256, "a search tree is shown up to N = 255, not 256"),
        ] {
            let error = Tree::build(n, Some(1), Limit::DRAWING).unwrap_err();
            assert!(error.to_string().ends_with(told), "{error}");
        }
    }

    #[test]
    fn a_tree_too_large_says_which_number_it_exceeds() {
        for (nodes, leaves, told) in [(20, 5, "more than 20 nodes"), (60, 5, "more than 5 leaves")]
        {
            let error = Tree::build(5, None, Limit { nodes, leaves }).unwrap_err();
            assert!(error.to_string().contains(told), "{error}");
        }
    }

    /// The limit is judged before the tree is built, by other code.
    #[test]
    fn a_limit_holds_exactly() {
        let boards = ["Q . .\n. . .\n. . .", ". . . .\n. # . .\n. . . .\n. . . ."];
        let mut boards: Vec<Board> = boards.map(|text| text.parse().unwrap()).into();
        boards.push(Board::new(5).with_queens(2).unwrap());
        boards.extend((0..=7).map(Board::new));
        for board in &boards {
            for depth in (0..=board.n()).map(Some).chain([None]) {
                let build = |nodes, leaves| {
                    let built = Tree::build_on(board, depth, Limit { nodes, leaves });
                    built.map_err(|error| match error {
                        TreeError::TooLarge { exceeded, .. } => exceeded,
                        other => panic!("{other}"),
                    })
                };
                let tree = build(usize::MAX, usize::MAX).unwrap();
                let (nodes, leaves) = (tree.nodes.len(), tree.leaves());
                assert_eq!(build(nodes, leaves), Ok(tree));
                assert_eq!(build(nodes - 1, leaves), Err(Exceeded::Nodes));
                assert_eq!(build(nodes, leaves - 1), Err(Exceeded::Leaves));
            }
        }
    }

    #[test]
    fn a_large_board_is_refused_at_once() {
        let error = Tree::build(40, None, Limit::DRAWING).unwrap_err();
        assert_eq!(
            error.to_string(),
            "the search tree for N = 40 has more than 400 nodes, too many for this format; \
             try depth 1"
        );
    }
}
