//! Builds the lists of units, one after the other.

use super::super::allowed::Parity;
use super::super::colour::{ColourBoards, RowSet};
use super::super::scan_list::ScanList;
use super::super::symmetry::Class;
use super::super::units::{Unit, Units, units};
use super::cache::{ClassCache, LARGEST_CACHED, ListCache, RowSetLists, Upload};
use super::unit::UnitLists;
use std::sync::Arc;

/// The largest board whose words and lines fit the numbers used here. Walks whose stems have
/// more than [`MOST_STEM_ROWS`](super::MOST_STEM_ROWS) levels cannot be listed; they are left out
/// with [`ListBuilder::without_gathering_walks`].
pub const LARGEST_N: usize = 30;

/// Builds the lists of units, one after the other.
///
/// ```
/// use queens::count::two_colour::device_lists::{ListBuilder, UnitLists};
///
/// let mut builder = ListBuilder::new(12).unwrap();
/// let mut lists = UnitLists::default();
/// assert!(builder.build(0, &mut lists));
/// assert!(!builder.build(builder.units().len(), &mut lists));
/// ```
pub struct ListBuilder<'a> {
    units: Units,
    class: Class,
    cache: Arc<ListCache>,
    class_cache: Option<Arc<ClassCache>>,
    list: ScanList,
    counts: Vec<u32>,
    /// The classes whose gathering walks are not listed.
    left_out: Vec<u32>,
    mask_pairs: u32,
    device: Option<&'a dyn Upload>,
    /// Memory for the next lists to be uploaded.
    spare: (Vec<u32>, Vec<u64>),
}

impl<'a> ListBuilder<'a> {
    /// A builder for this board, or `None` above [`LARGEST_N`] and for 0.
    pub fn new(n: usize) -> Option<ListBuilder<'a>> {
        let units = units(n).filter(|_| n <= LARGEST_N)?;
        Some(ListBuilder::sharing(units, Arc::default()))
    }

    /// A builder for these units, up to [`LARGEST_N`], that shares lists with others for the
    /// same board.
    pub fn sharing(units: Units, cache: Arc<ListCache>) -> ListBuilder<'a> {
        ListBuilder {
            class: Class::new(units.split(), 0),
            units,
            cache,
            class_cache: None,
            list: ScanList::default(),
            counts: Vec::new(),
            left_out: Vec::new(),
            mask_pairs: 2,
            device: None,
            spare: Default::default(),
        }
    }

    /// Leaves out the walked placements of the gathering colour in these classes. Builders
    /// that share a cache must all leave out the same.
    #[must_use]
    pub fn without_gathering_walks(mut self, classes: Vec<u32>) -> ListBuilder<'a> {
        self.left_out = classes;
        self
    }

    /// Writes words for devices with room for the bit planes of `most` pairs of rows. Builders
    /// that share a cache must all have the same number.
    #[must_use]
    pub fn with_mask_pairs(mut self, most: u32) -> ListBuilder<'a> {
        self.mask_pairs = most;
        self
    }

    /// Uploads the long shared lists to a device, where it has room.
    #[must_use]
    pub fn uploading_to(mut self, device: Option<&'a dyn Upload>) -> ListBuilder<'a> {
        self.device = device;
        self
    }

    /// The units.
    pub fn units(&self) -> &Units {
        &self.units
    }

    /// Fills `lists` for a unit. If `lists` already holds its even row sets, from the unit
    /// before, they stay. Returns `false` where there is no such unit.
    pub fn build(&mut self, unit: u64, lists: &mut UnitLists) -> bool {
        let Some(unit) = self.units.get(unit) else {
            return false;
        };
        let Unit {
            black_queens,
            even,
            odd,
        } = unit;
        self.enter(black_queens);
        let same_even = !lists.even.is_empty()
            && lists.black_queens == black_queens
            && lists.even_range == even;
        if !same_even {
            let row_set = |place| self.row_set(Parity::Even, place);
            lists.even = even.clone().map(row_set).collect();
            lists.set_even_rows(&self.class, even);
        }
        lists.odd = odd
            .clone()
            .map(|place| self.row_set(Parity::Odd, place))
            .collect();
        lists.set_odd_rows(&self.class, odd);
        true
    }

    /// Makes the lists of one row set in advance, for all builders that share them. Several
    /// builders can make different ones at the same time. Does nothing if lists are not shared.
    pub fn prepare(&mut self, black_queens: u32, parity: Parity, place: usize) {
        self.enter(black_queens);
        if self.class_cache.is_some() {
            self.row_set(parity, place);
        }
    }

    /// Changes to a class.
    fn enter(&mut self, black_queens: u32) {
        if self.class.black_queens != black_queens {
            self.class = Class::new(self.units.split(), black_queens);
            self.class_cache = None;
        }
        if self.class_cache.is_none() && self.units.n() <= LARGEST_CACHED {
            self.class_cache = Some(self.cache.class(&self.class));
        }
    }

    /// The lists of a row set of the class, even or odd.
    fn row_set(&mut self, parity: Parity, place: usize) -> Arc<RowSetLists> {
        let cache = self.class_cache.clone();
        let slot = cache.as_deref().map(|cache| match parity {
            Parity::Even => &cache.even[place],
            Parity::Odd => &cache.odd[place],
        });
        match slot {
            Some(slot) => {
                let make = || Arc::new(self.make_shared_row_set(parity, place));
                slot.get_or_init(make).clone()
            }
            None => Arc::new(self.make_row_set(parity, place)),
        }
    }

    fn make_shared_row_set(&mut self, parity: Parity, place: usize) -> RowSetLists {
        let mut row_set = self.make_row_set(parity, place);
        if let Some(device) = self.device {
            let (placements, lines) = (&row_set.walk.placements, &row_set.scan.lines);
            row_set.uploaded = device.upload(placements, lines);
        }
        if row_set.uploaded.is_some() {
            let placements = std::mem::take(&mut row_set.walk.placements);
            self.spare = (placements, row_set.scan.thin_out());
            self.spare.0.clear();
            self.spare.1.clear();
        }
        row_set
    }

    fn make_row_set(&mut self, parity: Parity, place: usize) -> RowSetLists {
        let class = &self.class;
        let (gather, store) = ColourBoards::roles(class);
        // White's walk and black's scan list depend on the even rows, the others on the odd ones.
        let walk_gathers = gather.walks_even_rows() == (parity == Parity::Even);
        let (walked, scanned) = match walk_gathers {
            true => (gather, store),
            false => (store, gather),
        };
        // A list depends on the rows of one parity; the other's do not matter.
        let mut rows = RowSet::default();
        match parity {
            Parity::Even => rows.even = class.even_rows[place].set,
            Parity::Odd => rows.odd = class.odd_rows[place].set,
        }
        let mut lists = RowSetLists::default();
        (lists.walk.placements, lists.scan.lines) = std::mem::take(&mut self.spare);
        let side = walked.walk_side(class, rows, class.even_count());
        match walk_gathers && self.left_out.contains(&class.black_queens) {
            true => lists.walk.sketch(&side, self.mask_pairs),
            false => lists.walk.build(&side, self.mask_pairs, &mut self.counts),
        }
        let side = scanned.scan_side(class, rows, class.odd_count());
        self.list.build(&side);
        lists.scan.copy(self.units.n(), &self.list);
        lists
    }
}
