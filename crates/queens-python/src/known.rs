//! `known`: the published counts.

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};
use queens::known::{self as published, Known, Sequence};

use crate::argument::{Size, named, value_error};
use crate::count::record;

fn row<'py>(py: Python<'py>, known: &Known) -> PyResult<Bound<'py, PyAny>> {
    let fields = PyDict::new(py);
    fields.set_item("n", known.n)?;
    fields.set_item("all", known.all)?;
    fields.set_item("fundamental", known.fundamental)?;
    fields.set_item("half_turn", known.half_turn)?;
    fields.set_item("quarter_turn", known.quarter_turn)?;
    fields.set_item("source", known.source)?;
    record(py, "Known", &fields)
}

/// The published counts, looked up and not computed: records with n, all, fundamental,
/// half_turn, quarter_turn and source, one for each n from 0 to 27. With n, the record of that
/// board, or None if nobody has counted it. With sequence ("all", "fundamental", "half-turn",
/// "quarter-turn" or "torus"), its values as a dictionary from n.
///
/// >>> known(8).all, known(8).fundamental
/// (92, 12)
/// >>> known()[-1].n, known(28) is None
/// (27, True)
/// >>> known(sequence="torus")[13]
/// 4524
#[pyfunction]
#[pyo3(signature = (n = None, *, sequence = None))]
pub fn known<'py>(
    py: Python<'py>,
    n: Option<Size>,
    sequence: Option<&str>,
) -> PyResult<Bound<'py, PyAny>> {
    match (n, sequence) {
        (Some(_), Some(_)) => Err(value_error("give n or sequence, not both")),
        (Some(Size(n)), None) => match published::known(n) {
            Some(known) => row(py, &known),
            None => Ok(py.None().into_bound(py)),
        },
        (None, Some(name)) => {
            let all = Sequence::ALL;
            let sequence = named(name, &all, Sequence::name, "sequence")?;
            let values = PyDict::new(py);
            for (n, value) in sequence.values() {
                values.set_item(n, value)?;
            }
            Ok(values.into_any())
        }
        (None, None) => {
            let list = PyList::empty(py);
            for known in published::all() {
                list.append(row(py, &known)?)?;
            }
            Ok(list.into_any())
        }
    }
}
