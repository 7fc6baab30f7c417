//! What notebooks show: pictures, each with its text.
//!
//! Jupyter asks an object for `_repr_mimebundle_`, a dictionary from the kinds of data to the
//! data. Terminals take `text/plain`, notebooks the picture.

use pyo3::prelude::*;
use pyo3::types::PyDict;
use queens::Placement;
use queens::render::{Picture, Theme, svg};

use crate::argument::{named, value_error};

/// The colours of a picture, by name.
pub fn theme(name: &str) -> PyResult<Theme> {
    let name_of = |theme| match theme {
        Theme::Dark => "dark",
        _ => "light",
    };
    named(name, &[Theme::Light, Theme::Dark], name_of, "theme")
}

/// The picture of a board.
pub fn board(
    placement: Placement,
    size: Option<u32>,
    theme_name: &str,
    attacks: bool,
) -> PyResult<String> {
    let mut picture = Picture::new(placement).map_err(value_error)?;
    picture.theme = theme(theme_name)?;
    picture.attacks = attacks;
    if let Some(size) = size {
        picture.size = size;
    }
    Ok(svg::board(&picture))
}

/// Notebooks cut off what is wider than their column, in pixels.
const WIDEST_SHOWN: u32 = 640;

/// The picture that a notebook shows without being asked; none where it would be too large.
pub fn shown(placement: &Placement, attacks: bool) -> Option<String> {
    let mut picture = Picture::new(placement.clone()).ok()?;
    picture.attacks = attacks;
    picture.size = picture.size.min(WIDEST_SHOWN);
    Some(svg::board(&picture))
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
