//! What notebooks show: pictures, each with its text.
//!
//! Jupyter asks an object for `_repr_mimebundle_`, a dictionary from the kinds of data to the
//! data. Terminals take `text/plain`, notebooks the picture.

use pyo3::prelude::*;
use pyo3::types::PyDict;
use queens::render::{Picture, PictureError, Theme, svg};
use queens::{Board, Placement};

use crate::argument::{named, value_error};

/// The colours of a picture, by name.
pub fn theme(name: &str) -> PyResult<Theme> {
    let name_of = |theme| match theme {
        Theme::Dark => "dark",
        _ => "light",
    };
    named(name, &[Theme::Light, Theme::Dark], name_of, "theme")
}

/// The picture of some queens.
pub fn board(
    placement: Placement,
    size: Option<u32>,
    theme_name: &str,
    attacks: bool,
) -> PyResult<String> {
    let mut picture = Picture::new(placement).map_err(value_error)?;
    picture.attacks = attacks;
    drawn(picture, size, theme_name)
}

/// The picture of given queens and blocked squares.
pub fn question(board: &Board, size: Option<u32>, theme_name: &str) -> PyResult<String> {
    drawn(asked(board).map_err(value_error)?, size, theme_name)
}

fn drawn(mut picture: Picture, size: Option<u32>, theme_name: &str) -> PyResult<String> {
    picture.theme = theme(theme_name)?;
    if let Some(size) = size {
        picture.size = size;
    }
    Ok(svg::board(&picture))
}

/// The picture of given queens and blocked squares, before its size and theme are chosen.
fn asked(board: &Board) -> Result<Picture, PictureError> {
    // Given queens stand on different squares of the board, so only its size can be refused.
    let given = Placement::new(board.n(), board.given().iter().copied());
    let given = given.map_err(|_| PictureError::TooLarge(board.n()))?;
    Ok(Picture::new(given)?.on(board))
}

/// Notebooks cut off what is wider than their column, in pixels.
const WIDEST_SHOWN: u32 = 640;

/// The picture that a notebook shows without being asked; `None` if it would be too large.
pub fn shown(placement: &Placement, attacks: bool) -> Option<String> {
    let mut picture = Picture::new(placement.clone()).ok()?;
    picture.attacks = attacks;
    Some(fitting(picture))
}

/// The same for given queens and blocked squares.
pub fn shown_question(board: &Board) -> Option<String> {
    asked(board).ok().map(fitting)
}

fn fitting(mut picture: Picture) -> String {
    picture.size = picture.size.min(WIDEST_SHOWN);
    svg::board(&picture)
}

/// The dictionary for Jupyter.
pub fn bundle<'py>(
    py: Python<'py>,
    text: String,
    picture: Option<String>,
) -> PyResult<Bound<'py, PyDict>> {
    let bundle = PyDict::new(py);
    bundle.set_item("text/plain", text)?;
    if let Some(picture) = picture {
        bundle.set_item("image/svg+xml", picture)?;
    }
    Ok(bundle)
}

/// The dictionary of a board: its drawing in letters goes with a picture, and a board that is too large
/// for a picture is one line.
pub fn board_bundle<'py>(
    py: Python<'py>,
    picture: Option<String>,
    drawing: impl FnOnce() -> PyResult<String>,
    line: impl FnOnce() -> String,
) -> PyResult<Bound<'py, PyDict>> {
    let text = match picture {
        Some(_) => drawing()?,
        None => line(),
    };
    bundle(py, text, picture)
}
