//! Properties of placements, formats, the checker and the symmetries, on random input and
//! on whole listings.

use std::ops::ControlFlow;

use proptest::prelude::*;
use queens::check::{attacks, is_solution};
use queens::count::{Engine, engine};
use queens::format::{Format, Reader, Writer, parse};
use queens::placement::{Placement, Square};
use queens::symmetry::{Fundamental, Images};

/// Placements with at most one queen per row, which every format can show.
fn one_per_row() -> impl Strategy<Value = Placement> {
    (1usize..40).prop_flat_map(|n| {
        prop::collection::vec(prop::option::weighted(0.8, 0..n), n)
            .prop_map(|rows| Placement::from_rows(rows).expect("columns on the board"))
    })
}

/// Placements of any squares.
fn any_squares() -> impl Strategy<Value = Placement> {
    (1usize..24).prop_flat_map(|n| {
        prop::collection::hash_set((0..n, 0..n), 0..=2 * n).prop_map(move |squares| {
            let squares = squares.into_iter();
            let squares = squares.map(|(row, col)| Square::new(row, col));
            Placement::new(n, squares).expect("different squares on the board")
        })
    })
}

fn written(format: Format, placement: &Placement, class_size: Option<u8>) -> String {
    let mut out = Vec::new();
    let mut writer = Writer::new(format, placement.n(), class_size.is_some());
    writer.begin(&mut out);
    writer
        .placement(placement, class_size, &mut out)
        .expect("the format can show it");
    String::from_utf8(out).expect("formats are UTF-8")
}

fn bitmask() -> &'static Engine {
    engine("bitmask").expect("the list of engines has it")
}

fn solutions(n: usize) -> Vec<Vec<u8>> {
    let mut all = Vec::new();
    let end = queens::list::list(n, bitmask(), |cols| {
        all.push(cols.to_vec());
        ControlFlow::Continue(())
    });
    assert_eq!(end, Ok(ControlFlow::Continue(all.len() as u64)));
    all
}

proptest! {
    #[test]
    fn placements_survive_every_format(
        placement in one_per_row(),
        class_size in prop::option::of(prop::sample::select(vec![1u8, 2, 4, 8])),
    ) {
        for format in Format::ALL {
            let text = written(format, &placement, class_size);
            prop_assert_eq!(format.parse(&text), Ok(placement.clone()), "told: {}", text);
            prop_assert_eq!(parse(&text), Ok((format, placement.clone())), "detected: {}", text);
        }
    }

    #[test]
    fn crowded_placements_survive_the_formats_that_hold_them(placement in any_squares()) {
        for format in Format::ALL.into_iter().filter(|f| f.holds_crowded_rows()) {
            let text = written(format, &placement, None);
            prop_assert_eq!(parse(&text), Ok((format, placement.clone())), "{}", text);
        }
    }

    #[test]
    fn no_text_makes_the_reader_panic(text in "[(\\[{}\\])Qq.0-9,/ \n#\"a-z:♛·-]{0,80}") {
        let _ = parse(&text);
        for format in Format::ALL {
            let _ = format.parse(&text);
        }
    }

    #[test]
    fn the_checker_names_each_pair_on_a_line_once(placement in any_squares()) {
        let queens = placement.queens();
        let mut expected = Vec::new();
        for (i, a) in queens.iter().enumerate() {
            for b in &queens[i + 1..] {
                let rows = a.row.abs_diff(b.row);
                let cols = a.col.abs_diff(b.col);
                if rows == 0 || cols == 0 || rows == cols {
                    expected.push((*a, *b));
                }
            }
        }
        let found: Vec<_> = attacks(&placement).map(|a| (a.first, a.second)).collect();
        prop_assert_eq!(found, expected);
    }

    #[test]
    fn images_of_images_stay_in_the_class(cols in (1u8..30).prop_flat_map(|n| {
        Just((0..n).collect::<Vec<u8>>()).prop_shuffle()
    })) {
        let images = Images::of(&cols).expect("a permutation");
        let canonical = images.canonical();
        for symmetry in queens::symmetry::Symmetry::ALL {
            let image = Images::of(&images.image(symmetry)).expect("a permutation");
            prop_assert_eq!(image.canonical(), canonical.clone());
            prop_assert_eq!(image.class_size(), images.class_size());
        }
    }
}

#[test]
fn every_listed_solution_passes_the_check_and_moving_one_queen_fails_it() {
    for n in 0..=9 {
        for cols in solutions(n) {
            assert!(
                is_solution(&Placement::from_cols(&cols).unwrap()),
                "{cols:?}"
            );
            for row in 0..n {
                let mut moved = cols.clone();
                moved[row] = (moved[row] + 1) % n as u8;
                let placement = Placement::from_cols(&moved).unwrap();
                // The queen that was in that column is now attacked along it.
                assert_eq!(is_solution(&placement), n == 1, "{moved:?}");
            }
        }
    }
}

#[test]
fn class_sizes_of_the_fundamental_solutions_add_up_to_all() {
    // Fundamental solutions for n = 0, 1, ...: OEIS A002562.
    let published = [1, 1, 0, 0, 1, 2, 1, 6, 12, 46, 92, 341];
    for (n, expected) in published.into_iter().enumerate() {
        let all = solutions(n);
        let mut fundamental = Fundamental::new();
        let sizes: Vec<u8> = all
            .iter()
            .filter_map(|cols| fundamental.class_size(cols))
            .collect();
        assert_eq!(sizes.len(), expected, "n = {n}");
        let sum: usize = sizes.iter().copied().map(usize::from).sum();
        assert_eq!(sum, all.len(), "n = {n}");
    }
}

#[test]
fn whole_listings_survive_every_format_as_streams() {
    let all = solutions(7);
    for format in Format::ALL {
        let mut out = Vec::new();
        let mut writer = Writer::new(format, 7, false);
        writer.begin(&mut out);
        for cols in &all {
            writer.solution(cols, None, &mut out);
        }
        let text = String::from_utf8(out).unwrap();
        let mut reader = Reader::new(None);
        let mut back = Vec::new();
        for line in text.lines() {
            back.extend(reader.line(line).unwrap());
        }
        back.extend(reader.finish().unwrap());
        let expected: Vec<Placement> = all
            .iter()
            .map(|cols| Placement::from_cols(cols).unwrap())
            .collect();
        assert_eq!(back, expected, "{format:?}");
    }
}

#[test]
fn the_empty_board_survives_the_formats_that_can_show_nothing() {
    let empty = Placement::from_cols::<u8>(&[]).unwrap();
    for format in [Format::Tuple, Format::ZeroBased, Format::Fen, Format::Json] {
        let text = written(format, &empty, None);
        assert_eq!(format.parse(&text), Ok(empty.clone()), "{text:?}");
    }
}
