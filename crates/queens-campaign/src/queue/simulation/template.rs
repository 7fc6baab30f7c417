//! The campaign that every simulated day begins with.
//!
//! The program itself plans and counts it once, before the first day. Each day works on a copy of
//! its file, and the devices look counts up instead of counting.

use std::path::PathBuf;
use std::sync::OnceLock;
use std::sync::atomic::AtomicBool;

use queens::count::two_colour;

use crate::device;
use crate::ledger::{Access, Campaign};

/// The board of all simulations and its number of solutions.
pub(super) const N: u32 = 17;
pub(super) const SOLUTIONS: u128 = 95_815_104;

/// A campaign to copy, and the right count of each unit.
pub(super) struct Template {
    pub bytes: Vec<u8>,
    pub counts: Vec<u64>,
}

pub(super) fn template() -> &'static Template {
    static TEMPLATE: OnceLock<Template> = OnceLock::new();
    TEMPLATE.get_or_init(|| {
        let path = temporary("template");
        let cut = two_colour::units(N as usize).unwrap();
        let info = Campaign::create(&path, &cut, 40).unwrap();
        let bytes = std::fs::read(&path).unwrap();
        let campaign = Campaign::open(&path, Access::Read).unwrap();
        let mut cpu = device::open(&[], N, Some(1), Default::default(), &|_| {})
            .unwrap()
            .remove(0);
        let never = AtomicBool::new(false);
        let counts: Vec<u64> = (0..info.units)
            .map(|unit| cpu.count(&campaign.planned(unit).unwrap(), &never))
            .map(|count| count.unwrap().unwrap())
            .collect();
        let total: u128 = counts.iter().map(|&c| u128::from(c)).sum();
        assert_eq!(total, SOLUTIONS);
        assert!(counts.len() >= 12, "{} units are too few", counts.len());
        std::fs::remove_file(&path).unwrap();
        Template { bytes, counts }
    })
}

pub(super) fn temporary(name: &str) -> PathBuf {
    let id = std::process::id();
    std::env::temp_dir().join(format!("queens-simulation-{id}-{name}"))
}
