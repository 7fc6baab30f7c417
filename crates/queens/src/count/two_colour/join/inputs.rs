//! What a join is handed: the lists of some pairs of row sets.
//!
//! A join counts one *outer* row set with several *inner* ones. The gathering colour's scan
//! list depends only on the outer rows, and its tree only on the inner rows. For the stored
//! colour it is the other way round. So lists are made once per row set and used for every pair:
//!
//! ```text
//!               outer rows      inner rows
//!   gathering   scan list       walk tree (none where it is filtered)
//!   stored      walk tree       scan list, laid out in bit planes
//! ```

use super::super::cost::Strategy;
use super::super::scan_list::ScanList;
use super::super::sets::Set;
use super::super::simd::Instructions;
use super::super::symmetry::{Class, Visits};
use super::super::walk_tree::WalkTree;
use super::planes::BitPlanes;
use std::sync::atomic::{AtomicBool, Ordering};

/// What stays the same for all pairs of a unit.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Context<'a> {
    pub class: &'a Class,
    pub strategy: &'a Strategy,
    pub instructions: Instructions,
    pub stop: &'a AtomicBool,
}

impl Context<'_> {
    /// Whether somebody asked to stop.
    pub fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }
}

/// The lists of one outer row set.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Outer<'a> {
    pub gather_list: &'a ScanList,
    pub store_tree: &'a WalkTree,
}

/// The lists of one inner row set, and what its pair with the outer one visits.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Inner<'a> {
    /// The column sets that the pair visits.
    pub visits: Visits,
    /// How many row sets the pair stands for.
    pub weight: u64,
    /// The rows of the board that the gathering colour walks.
    pub walk_rows: Set,
    /// For how many `even_cols` the gathering colour is counted.
    pub even_limit: u32,
    /// The gathering tree; empty if the gathering colour is filtered.
    pub gather_tree: &'a WalkTree,
    /// The stored colour, laid out for each chunk.
    pub store_planes: &'a [BitPlanes],
}
