//! Properties of placements, formats, the checker and the symmetries, on random input and
//! on whole listings.

use proptest::prelude::*;
use queens::format::{Reader, Writer, parse};
use queens::symmetry::Fundamental;
use queens::{Format, Placement, Solution, Square, check, construct};

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

fn written(format: Format, placement: &Placement, class_size: Option<usize>) -> String {
    let mut out = Vec::new();
    let mut writer = Writer::new(format, placement.n(), class_size.is_some());
    writer.begin(&mut out);
    writer
        .placement(placement, class_size, &mut out)
        .expect("the format can show it");
    String::from_utf8(out).expect("formats are UTF-8")
}

fn solutions(n: usize) -> Vec<Solution> {
    queens::solutions(n).collect()
}

proptest! {
    #[test]
    fn placements_survive_every_format(
        placement in one_per_row(),
        class_size in prop::option::of(prop::sample::select(vec![1usize, 2, 4, 8])),
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
    fn what_a_placement_displays_it_is_parsed_from(placement in any_squares()) {
        let text = placement.to_string();
        prop_assert_eq!(text.parse::<Placement>(), Ok(placement.clone()), "{}", text);
        for format in Format::ALL {
            match placement.display(format) {
                Ok(shown) => {
                    let text = shown.to_string();
                    prop_assert!(!text.ends_with('\n'));
                    prop_assert_eq!(text.parse::<Placement>(), Ok(placement.clone()), "{}", text);
                }
                Err(_) => prop_assert!(!format.holds_crowded_rows()),
            }
        }
    }

    #[test]
    fn what_a_solution_displays_it_is_parsed_from(
        n in (4usize..60),
        symmetry in prop::sample::select(queens::Symmetry::ALL.to_vec()),
    ) {
        let solution = construct::solution(n).expect("every board from 4 up").image(symmetry);
        prop_assert_eq!(solution.to_string().parse::<Solution>(), Ok(solution.clone()));
        for format in Format::ALL {
            let text = solution.display(format).to_string();
            prop_assert_eq!(text.parse::<Solution>(), Ok(solution.clone()), "{}", text);
            prop_assert_eq!(parse(&text).map(|read| read.0), Ok(format), "{}", text);
        }
    }

    #[test]
    fn only_what_the_checker_passes_becomes_a_solution(placement in any_squares()) {
        let solution = Solution::try_from(&placement);
        prop_assert_eq!(solution.is_ok(), check(&placement).is_solution());
        if let Ok(solution) = solution {
            prop_assert_eq!(Placement::from(solution), placement);
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
        let found: Vec<_> = check(&placement)
            .attacks()
            .map(|a| (a.first, a.second))
            .collect();
        prop_assert_eq!(found, expected);
    }

    #[test]
    fn images_of_images_stay_in_the_class(n in (4usize..80)) {
        let solution = construct::solution(n).expect("every board from 4 up");
        for image in solution.images() {
            prop_assert!(check(&Placement::from(&image)).is_solution());
            prop_assert_eq!(image.class(), solution.class());
            prop_assert_eq!(image.class_size(), solution.class_size());
        }
    }
}

#[test]
fn every_listed_solution_passes_the_check_and_moving_one_queen_fails_it() {
    for n in 0..=9 {
        for solution in solutions(n) {
            assert!(
                check(&Placement::from(&solution)).is_solution(),
                "{solution}"
            );
            for row in 0..n {
                let mut moved = solution.to_vec();
                moved[row] = (moved[row] + 1) % n;
                let placement = Placement::from_cols(&moved).unwrap();
                // The queen that was in that column is now attacked along it.
                assert_eq!(check(&placement).is_solution(), n == 1, "{moved:?}");
                assert_eq!(Solution::new(moved).is_ok(), n == 1);
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
        let sizes: Vec<usize> = all
            .iter()
            .filter_map(|solution| fundamental.class_size(solution))
            .collect();
        assert_eq!(sizes.len(), expected, "n = {n}");
        assert_eq!(sizes.iter().sum::<usize>(), all.len(), "n = {n}");
    }
}

#[test]
fn whole_listings_survive_every_format_as_streams() {
    let all = solutions(7);
    for format in Format::ALL {
        let mut out = Vec::new();
        let mut writer = Writer::new(format, 7, false);
        writer.begin(&mut out);
        for solution in &all {
            writer.solution(solution, None, &mut out).unwrap();
        }
        let text = String::from_utf8(out).unwrap();
        let mut reader = Reader::new(None);
        let mut back = Vec::new();
        for line in text.lines() {
            back.extend(reader.line(line).unwrap());
        }
        back.extend(reader.finish().unwrap());
        let expected: Vec<Placement> = all.iter().map(Placement::from).collect();
        assert_eq!(back, expected, "{format:?}");
    }
}

#[test]
fn the_empty_board_survives_the_formats_that_can_show_nothing() {
    let empty = Placement::new(0, []).unwrap();
    for format in [Format::Tuple, Format::ZeroBased, Format::Fen, Format::Json] {
        let text = written(format, &empty, None);
        assert_eq!(format.parse(&text), Ok(empty.clone()), "{text:?}");
    }
    let solution = queens::first(0).expect("the empty board is a solution");
    for format in [Format::Tuple, Format::ZeroBased, Format::Json] {
        let text = solution.display(format).to_string();
        assert_eq!(text.parse(), Ok(solution.clone()), "{text:?}");
    }
}

#[test]
fn a_size_beyond_all_boards_is_an_error_not_a_crash() {
    for n in [Placement::MAX_N + 1, usize::MAX] {
        let said = Reader::new(None).size(n).line("(0, 4)").unwrap_err();
        assert!(said.to_string().contains(&n.to_string()), "{said}");
    }
}
