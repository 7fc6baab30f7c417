//! What Rust and CUDA share: every constant and every structure, written once.
//!
//! The macros below define each of them for Rust and note how it is declared in CUDA. [`cuda`]
//! writes these declarations, and the kernel is compiled behind them. A test compiles them with the
//! machine's C++ compiler and compares every size, every offset and every constant.
//!
//! A batch is one block of memory. A *place* in it is counted in 8-byte words from the start, a
//! *number* counts entries of a table, and every array begins at a multiple of 16 bytes:
//!
//! ```text
//! | lists, weights, squares, stems, ... | walks | scans | pairs | jobs | flag, next jobs |
//!                                         ^places in `Launch`
//! ```
//!
//! The lines of a placement are a 64-bit word, drawn here for 2m diagonals in each direction. The
//! bits above them hold the low bits of the placement's odd index, up to six:
//!
//! ```text
//!  63      32+2m          32 31      2m             0
//! | odd_index | anti-diagonals | odd_index | diagonals |
//!    high bits                    low bits
//! ```

use crate::lists::{
    MOST_OPEN, MOST_STEM_ROWS as STEM_ROWS, NO_INDEX as NO_INDEX_16, REVERSED as REVERSED_16,
    STEM_MULTIPLE as MULTIPLE,
};
use std::fmt::Write as _;
use std::mem::offset_of;
use zerocopy::{Immutable, IntoBytes};

/// A constant as CUDA sees it.
pub struct Constant {
    /// Its name in both languages.
    pub name: &'static str,
    /// Its value.
    pub value: u32,
    doc: &'static [&'static str],
}

/// A structure as CUDA sees it.
pub struct Structure {
    /// Its name in both languages.
    pub name: &'static str,
    /// Its size in Rust, in bytes.
    pub size: usize,
    /// Its alignment in Rust, in bytes.
    pub align: usize,
    /// Its fields.
    pub fields: &'static [Field],
    /// The alignment that CUDA is asked for, if any.
    alignas: &'static str,
    doc: &'static [&'static str],
}

/// A field of a structure.
pub struct Field {
    /// Its name in both languages.
    pub name: &'static str,
    /// Where it begins in Rust, in bytes.
    pub offset: usize,
    /// How it is declared in CUDA.
    declaration: &'static str,
    doc: &'static [&'static str],
}

macro_rules! constants {
    ($( $(#[doc = $doc:literal])* $name:ident = $value:expr; )*) => {
        $( $(#[doc = $doc])* pub const $name: u32 = $value; )*

        /// All constants.
        pub const CONSTANTS: &[Constant] = &[$(
            Constant { name: stringify!($name), value: $name, doc: &[$($doc),*] },
        )*];
    };
}

/// The declaration of a field: as given, or as in Rust.
macro_rules! declaration {
    ($field:ident $type:ty) => {
        concat!(stringify!($type), " ", stringify!($field))
    };
    ($field:ident $type:ty, $text:literal) => {
        $text
    };
}

macro_rules! structures {
    ($(
        $(#[doc = $doc:literal])*
        struct $name:ident $(aligned to $align:tt)? {
            $( $(#[doc = $field_doc:literal])* $field:ident: $type:ty $(as $text:literal)?, )*
        }
    )*) => {
        $(
            $(#[doc = $doc])*
            #[derive(Clone, Copy, Debug, IntoBytes, Immutable)]
            #[repr(C $(, align($align))?)]
            pub struct $name { $( $(#[doc = $field_doc])* pub $field: $type, )* }
        )*

        /// All structures.
        pub const STRUCTURES: &[Structure] = &[$(
            Structure {
                name: stringify!($name),
                size: size_of::<$name>(),
                align: align_of::<$name>(),
                fields: &[$(
                    Field {
                        name: stringify!($field),
                        offset: offset_of!($name, $field),
                        declaration: declaration!($field $type $(, $text)?),
                        doc: &[$($field_doc),*],
                    },
                )*],
                alignas: concat!($("alignas(", stringify!($align), ") ")?),
                doc: &[$($doc),*],
            },
        )*];
    };
}

constants! {
    /// Threads of a warp.
    LANES = 32;
    /// Threads that scan for one walked placement; each has two words.
    HALF_WARP = LANES / 2;
    /// The most threads of a block; the kernel is compiled for no more.
    MOST_THREADS = 1024;
    /// The most warps of a block.
    MOST_WARPS = MOST_THREADS / LANES;
    /// The most levels of a stem, whose path is one word.
    MOST_STEM_ROWS = STEM_ROWS;
    /// The placements of a stem are a multiple of this many.
    STEM_MULTIPLE = MULTIPLE as u32;
    /// Bits for the number of a list in a 16-bit entry; the other bits are the number of a word.
    LIST_BITS = 6;
    /// The most lists of a job, one for each odd index of each of its pairs.
    MOST_LISTS = 1 << LIST_BITS;
    /// The most pairs of a job.
    MOST_PAIRS = 8;
    /// The most rows of a walked board.
    MOST_ROWS = 16;
    /// 32-bit words of a survivor mask: two for each lane of half a warp.
    MASK_WORDS = 2 * HALF_WARP;
    /// Words from the plane of one line to the next: one more than a plane has, so that a warp that
    /// writes one word of 32 planes meets 32 banks.
    PLANE_STEP = MASK_WORDS + 1;
    /// The most rows that are unfolded. Queens before them are chosen one set after the other.
    MOST_LEFT = 9;
    /// Room for items of one level.
    MOST_ITEMS = 64;
    /// Room for items with two rows left.
    MOST_PILED = 64;
    /// Where the size of a portion is kept: behind the lengths of the first queens' lists.
    PORTION_SIZE = MOST_ROWS - 1;
    /// Marks the place of a list that is not in the batch, but resident on the card.
    RESIDENT = 1 << 31;
    /// Marks an index of a mirror image.
    REVERSED = REVERSED_16 as u32;
    /// No index.
    NO_INDEX = NO_INDEX_16 as u32;
    /// Marks items that count twice.
    TWICE = 1 << 15;
    /// A value of the flag: a count does not fit its cell.
    TOO_LARGE = 1;
    /// A value of a sweep's flag: partial placements have outgrown their room.
    NO_ROOM = 2;
    /// Partial placements that a warp deals at once.
    DEALT = 4 * LANES;
    /// If a level has fewer lists than this, they are cut into about this many pieces.
    MOST_PIECES = 256;
    /// Columns that a list may lead to.
    GOALS = MOST_ROWS;
    /// Slots begin at a multiple of this many partial placements: a line of the card's cache.
    SLOT_MULTIPLE = 16;
    /// The most placements of a cohort that one product takes; each is a bit of every matrix row.
    PRODUCT_BITS = 256;
    /// The most open rows of a core: columns of a product's second matrix.
    OPEN_ROWS = MOST_OPEN as u32;
    /// Words of a slab's entry for one index of the swept columns, one for each lane. Each word has
    /// the cells of two row sets, and each row set has a cell in both halves of the entry.
    ENTRY_WORDS = OPEN_ROWS * OPEN_ROWS / 2;
    /// The most threads of a block that sweeps.
    MOST_SWEEP_THREADS = 1024;
    /// The most rows of a core.
    MOST_CORE_ROWS = 8;
    /// The fewest and the most columns that a core may leave free; the kernel has an entry for each.
    FEWEST_FREE = 4;
    MOST_FREE = 12;
    /// The most tiles, which are products of two free columns with a third, and the most places of
    /// pairs, two per tile.
    MOST_TILES = MOST_FREE / 2 * (MOST_FREE - MOST_FREE / 2);
    TILE_PAIRS = 2 * MOST_TILES;
    /// The most 64-bit words of a cohort's record: the free columns, and the places of all pairs.
    RECORD_COLUMNS = 2;
    MOST_RECORD = RECORD_COLUMNS + TILE_PAIRS;
    /// A block of planes has four words of each line: all diagonals, then all anti-diagonals. The
    /// steps are the words from one line to the next, and from one block to the next: 16 more than
    /// a block has, so that lanes that read from both blocks meet different banks.
    LINE_STEP = 4;
    BLOCK_STEP = 2 * LINE_STEP * LANES + 16;
    /// Placements of a block of planes.
    BLOCK_BITS = LINE_STEP * LANES;
    /// No row set, and no list.
    NONE_16 = 0xffff;
    /// Listed indices whose tables are joined at a time, one for each lane.
    JOINED = LANES;
    /// The cells of a table's row are a multiple of this many, which a lane reads at once.
    CELL_MULTIPLE = 8;
}

structures! {
    /// A walk: the placements on one small board with given rows, a queen in each.
    struct WalkEntry {
        /// Place of the lines of each square, row by row.
        squares: u32,
        /// Place of the stems.
        stems: u32,
        /// Place of the placements, perhaps marked `RESIDENT`.
        placements: u32,
        /// How many stems there are; one more ends them.
        stem_count: u32,
        /// Levels of a stem.
        stem_rows: u32,
        /// Rows of the board.
        rows: u32,
        /// Columns of the board.
        cols: u32,
        /// Rows below the stem that stand alone.
        singles: u32,
        /// Pairs of rows below the stem.
        row_pairs: u32,
        /// Keeps the size a multiple of 8.
        unused: u32,
    }

    /// The placements that begin with the same queens.
    struct Stem {
        /// The column of level `l` in bits `4 l .. 4 l + 4`.
        path: u32,
        /// Where its placements begin.
        first: u32,
    }

    /// A scan: the lines of the placements of one small board, sorted by odd index.
    struct ScanEntry {
        /// Place of the lines, perhaps marked `RESIDENT`.
        lines: u32,
        /// Place of the table that says where each odd index begins.
        starts: u32,
    }

    /// A pair of row sets to count.
    struct PairEntry {
        /// Number of the walk that is stored.
        store_walk: u32,
        /// Number of the scan that is stored.
        store_scan: u32,
        /// Number of the walk that gathers.
        gather_walk: u32,
        /// Number of the scan that gathers.
        gather_scan: u32,
        /// Even indices below this are visited.
        even_limit: u32,
        /// Odd indices below this are visited.
        odd_limit: u32,
        /// Odd indices below this have `doubled_weights`, the others `rest_weights`.
        doubled: u32,
        /// Place of the weights, one byte for each even index, or 0 if all are 1.
        doubled_weights: u32,
        /// The same for the other odd indices.
        rest_weights: u32,
        /// Sets of columns above this, read as a number, are not visited.
        last_cols: u32,
        /// Place of the lines of the first square of each row, in the order in which the rows are
        /// unfolded.
        gather_rows: u32,
        /// Keeps the size a multiple of 8.
        unused: u32,
    }

    /// The work of one block of threads: some pairs and some odd indices. All its pairs have the
    /// same stored walk and the same gathering scan, and the rows of their gathering walks differ
    /// only in the last two.
    struct JobEntry {
        /// Number of its first pair.
        first_pair: u32,
        /// How many pairs.
        pairs: u32,
        /// Its first odd index.
        first_odd: u32,
        /// How many odd indices.
        odd_count: u32,
    }

    /// The argument of a launch of the kernel.
    struct Launch {
        /// The batch.
        words: u64 as "const u64* words",
        /// Lists that many batches share.
        resident: u64 as "const u64* resident",
        /// One sum for each job.
        sums: u64 as "u64* sums",
        /// Memory of the blocks, `scratch_room` words for each.
        scratch: u64 as "u64* scratch",
        /// Becomes `TOO_LARGE` if a count does not fit its cell.
        flag: u64 as "u32* flag",
        /// How many jobs of this launch have been taken.
        next_job: u64 as "u32* next_job",
        /// Place of the walks.
        walks: u32,
        /// Place of the scans.
        scans: u32,
        /// Place of the pairs.
        pairs: u32,
        /// Place of the jobs.
        jobs: u32,
        /// The first job of this launch.
        first_job: u32,
        /// The job behind its last.
        job_end: u32,
        /// Room for this many survivor masks of squares.
        square_masks: u32,
        /// Room for this many rows of the tile, and two more.
        tile_rows: u32,
        /// A row of the tile has two to the power of this many cells.
        width_bits: u32,
        /// The most scanned placements of a job.
        list_room: u32,
        /// Words of scratch for each block.
        scratch_room: u32,
        /// Diagonals of a colour, in either direction.
        diagonals: u32,
        /// Place of the even indices of all sets of columns of the gathering colour.
        even_index_of: u32,
        /// Place of the even indices of all sets of columns of the stored colour, or 0 if storing
        /// scans.
        stored_even_index_of: u32,
        /// Odd indices below this are next to that of their mirror image.
        odd_pairs: u32,
        /// Room for this many words of scanned placements.
        table_room: u32,
        /// Queens that are chosen before placements are unfolded.
        first_queens: u32,
        /// Keeps the size a multiple of 8.
        unused: u32,
    }

    /// One list that is scanned: the placements of one odd index, for one pair.
    struct List aligned to 16 {
        /// Its place, perhaps marked `RESIDENT`.
        from: u32,
        /// Where its sifted rest begins among those of all lists.
        room: u32,
        /// Place of the weights of its cells, or 0 if all are 1.
        weights: u32,
        /// Even indices of its pair.
        limit: u32,
    }

    /// The part of a block's shared memory whose size is the same in every launch.
    struct Fixed {
        /// The lists of the job.
        lists: [List; MOST_LISTS as usize] as "List lists[MOST_LISTS]",
        /// One sum for each warp.
        sums: [u64; MOST_WARPS as usize] as "u64 sums[MOST_WARPS]",
        /// The sum of these sums.
        total: u64,
        /// Keeps the rest at a multiple of 16 bytes.
        unused: u64,
        /// The number of the job.
        job: u32,
        /// The next first queen whose lists a warp sifts.
        next_first: u32,
        /// The next portion of these lists that a warp takes.
        next_portion: u32,
        /// How many words of scanned placements there are.
        words: u32,
        /// How much is left of each list after each level of a stem.
        counts: [u32; ((1 + MOST_STEM_ROWS) * MOST_LISTS) as usize]
            as "u32 counts[(1 + MOST_STEM_ROWS) * MOST_LISTS]",
    }

    /// Where an unfolding warp gets its next items. Kept in memory to leave registers to the steps.
    struct ItemSource {
        /// The scanned placements that the first queen does not attack.
        list: u64 as "const u64* list",
        /// The next of them.
        start: u32,
        /// The end, behind the last.
        end: u32,
        /// The columns of the queens so far, perhaps with `TWICE`.
        cols: u32,
        /// Their diagonals.
        diag: u32,
        /// Their anti-diagonals.
        anti: u32,
        /// The diagonals of all but the first.
        others_diag: u32,
        /// The anti-diagonals of all but the first.
        others_anti: u32,
        /// Keeps the size a multiple of 8.
        unused: u32,
    }

    /// The items of one level.
    struct Items {
        /// The lines of both placements.
        lines: [u64; MOST_ITEMS as usize] as "u64 lines[MOST_ITEMS]",
        /// The columns of the walked placement, perhaps with `TWICE`; above them those to be tried.
        cols: [u32; MOST_ITEMS as usize] as "u32 cols[MOST_ITEMS]",
    }

    /// A warp's own part of shared memory.
    struct WarpMemory {
        /// Where its items come from.
        source: ItemSource,
        /// Items with two rows left: the free squares of both; then the columns, perhaps with
        /// `TWICE`, the distance of the rows and the list.
        pile: [u64; MOST_PILED as usize] as "u64 pile[MOST_PILED]",
        /// Items with three rows left. Those with more follow.
        items: [Items; 1] as "Items items[1]",
    }

    /// How far lines are shifted to get the columns that they attack in a row.
    struct Shift aligned to 8 {
        /// Diagonals.
        diag: u32,
        /// Anti-diagonals.
        anti: u32,
    }

    /// The last two rows of a pair.
    struct LastRows aligned to 16 {
        /// The last but one.
        first: Shift,
        /// The last.
        second: Shift,
        /// What the pair adds to an item's word.
        id: u32,
        /// Keeps the size a multiple of 16.
        unused: [u32; 3] as "u32 unused[3]",
    }

    /// A core of a sweep: rows that are filled first, and open rows for the last two queens.
    struct CoreEntry {
        /// The rows that are filled first.
        rows: [u8; MOST_CORE_ROWS as usize] as "u8 rows[MOST_CORE_ROWS]",
        /// The open rows.
        open: [u8; OPEN_ROWS as usize] as "u8 open[OPEN_ROWS]",
        /// How many open rows there are.
        open_count: u32,
        /// The number of the row set of each cell in the first half of a slab's entry, or
        /// `NONE_16`.
        row_sets: [u16; ENTRY_WORDS as usize] as "u16 row_sets[ENTRY_WORDS]",
    }

    /// The argument of a launch of a sweep: one colour, some listed indices, all cores.
    struct SweepLaunch {
        /// The lines of the listed placements.
        lines: u64 as "const u64* lines",
        /// Where the lines of each listed index begin.
        starts: u64 as "const u32* starts",
        /// The cores.
        cores: u64 as "const CoreEntry* cores",
        /// For each list, level after level but without the last level: the place of the list that
        /// each of `GOALS` columns leads to, or `NONE_16`.
        goals: u64 as "const u16* goals",
        /// The records of the cohorts, one for each column set of the last level.
        records: u64 as "const u64* records",
        /// A table for each listed index from `first_listed` on: a row of cells for each row set.
        tables: u64 as "u16* tables",
        /// Partial placements, twice `scratch_room` for each block.
        scratch: u64 as "u64* scratch",
        /// One slab for each block.
        slabs: u64 as "u32* slabs",
        /// How many jobs have been taken.
        next_job: u64 as "u32* next_job",
        /// Becomes `TOO_LARGE` or `NO_ROOM` if tables are not right.
        flag: u64 as "u32* flag",
        /// Cells from one table to the next.
        table_step: u64,
        /// Cells from one row set of a table to the next.
        row_step: u32,
        /// A block's room for the partial placements of one level.
        scratch_room: u32,
        /// The most listed placements that a block deals at a time. Fewer make shorter lists.
        portion: u32,
        /// The first listed index.
        first_listed: u32,
        /// How many cores there are.
        core_count: u32,
        /// How many jobs: listed indices times cores.
        jobs: u32,
        /// How many indices the swept columns have.
        indices: u32,
        /// Added to `j - i` to number the diagonals of the swept board.
        diag_offset: u32,
        /// Added to `i + j` to number its anti-diagonals.
        anti_offset: u32,
        /// Rows of a core.
        core_rows: u32,
        /// How many lists the levels before each level have, and at the end how many all have.
        level_starts: [u32; MOST_CORE_ROWS as usize + 2] as "u32 level_starts[MOST_CORE_ROWS + 2]",
        /// Where the ends of each level's lists are kept in shared memory. Those of consecutive
        /// levels are apart.
        list_places: [u32; MOST_CORE_ROWS as usize + 1] as "u32 list_places[MOST_CORE_ROWS + 1]",
        /// Room of each list of a level.
        slots: [u32; MOST_CORE_ROWS as usize + 1] as "u32 slots[MOST_CORE_ROWS + 1]",
    }

    /// How a lane takes part in turning words by exchanges. For bytes: which ones it picks from its
    /// own word and another's. For 4, 2 and 1 bits: how far it rotates the other word, and which
    /// bits of its own it keeps.
    struct Turning aligned to 16 {
        bytes: u32,
        /// Keeps what follows at a multiple of 8.
        unused: u32,
        by4: u32,
        keep4: u32,
        by2: u32,
        keep2: u32,
        by1: u32,
        keep1: u32,
    }

    /// The part of a sweeping block's shared memory whose size is the same in every launch.
    struct SweepFixed aligned to 16 {
        /// The sum of what was added to the slab, less what was found in it.
        balance: u64,
        /// The number of the job.
        job: u32,
        /// The next list, or piece of one, that a warp takes.
        next_piece: u32,
        /// The listed placements that are dealt, and how many there are.
        listed: u64 as "const u64* listed",
        listed_length: u32,
        /// The core of the job.
        core: CoreEntry as "CoreEntry core",
        /// For each distance of two columns and each lane, which cells of its word count; none do
        /// for distance 0.
        masks: [u32; MOST_ROWS as usize * LANES as usize] as "u32 masks[MOST_ROWS][LANES]",
        /// How each lane takes part in turning words.
        turnings: [Turning; LANES as usize] as "Turning turnings[LANES]",
    }

    /// Where a pair of free columns is counted.
    struct PairPlace aligned to 8 {
        /// The number of its entry in the slab.
        entry: u32,
        /// Where the masks for the distance of its columns begin, in bytes; 0 if it is not visited,
        /// or no pair.
        mask: u32,
    }

    /// A warp's own part of a sweeping block's shared memory.
    struct CohortMemory aligned to 16 {
        /// The planes of the placements that are multiplied.
        planes: [u32; (PRODUCT_BITS / BLOCK_BITS * BLOCK_STEP) as usize] as "u32 planes[PRODUCT_BITS / BLOCK_BITS * BLOCK_STEP]",
        /// Partial placements that were copied for the warp's next work.
        copied: [u64; PRODUCT_BITS as usize] as "u64 copied[PRODUCT_BITS]",
        /// Its record: for each free column one byte that says where its planes are, in bytes from
        /// those of column 0; then a `PairPlace` for each pair, two per tile.
        record: [u64; MOST_RECORD as usize] as "u64 record[MOST_RECORD]",
    }

    /// The argument of a launch that joins the tables of two colours.
    struct JoinLaunch {
        /// White's tables, one for each even index from `first_even` on: row set, then odd index.
        white: u64 as "const u16* white",
        /// Black's tables, one for each odd index: row set, then even index.
        black: u64 as "const u16* black",
        /// For each row set how many odd indices it visits, and how many of them are doubled.
        odd_limits: u64 as "const u32* odd_limits",
        /// For each even index its weight beside doubled odd indices, and beside others.
        weights: u64 as "const u8* weights",
        /// A sum for each row set.
        sums: u64 as "u64* sums",
        /// Cells from one table of white's to the next.
        white_step: u64,
        /// Cells from one table of black's to the next.
        black_step: u64,
        /// Cells from one row set to the next, in white's tables.
        white_row: u32,
        /// The same in black's.
        black_row: u32,
        /// The first even index.
        first_even: u32,
        /// The even index behind the last.
        even_end: u32,
    }
}

/// The constants and structures in CUDA, which is also C++.
pub fn cuda() -> String {
    let mut text = String::from(
        "typedef unsigned char u8;\ntypedef unsigned short u16;\ntypedef unsigned int u32;\n\
         typedef unsigned long long u64;\n",
    );
    let mut line = |line: String| {
        text.push_str(&line);
        text.push('\n');
    };
    for Constant { name, value, doc } in CONSTANTS {
        line(String::new());
        doc.iter().for_each(|doc| line(format!("//{doc}")));
        line(format!("#define {name} {value}u"));
    }
    for structure in STRUCTURES {
        line(String::new());
        let doc = structure.doc.iter();
        doc.for_each(|doc| line(format!("//{doc}")));
        line(format!("struct {}{} {{", structure.alignas, structure.name));
        for field in structure.fields {
            let doc = field.doc.iter();
            doc.for_each(|doc| line(format!("    //{doc}")));
            line(format!("    {};", field.declaration));
        }
        line("};".into());
    }
    text
}

/// Every size, alignment, offset and constant in Rust, one on a line.
pub fn layout() -> String {
    let mut text = String::new();
    let mut line = |name: &str, value: u64| {
        let _ = writeln!(text, "{name} {value}");
    };
    for constant in CONSTANTS {
        line(constant.name, constant.value.into());
    }
    for structure in STRUCTURES {
        let name = structure.name;
        line(&format!("sizeof({name})"), structure.size as u64);
        line(&format!("alignof({name})"), structure.align as u64);
        for field in structure.fields {
            let of = format!("offsetof({name}, {})", field.name);
            line(&of, field.offset as u64);
        }
    }
    text
}
