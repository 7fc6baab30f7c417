//! `json`: one JSON object per line, for programs.
//!
//! ```text
//! {"n":4,"cols":[1,3,0,2]}
//! {"n":4,"cols":[1,3,0,2],"class_size":2}
//! {"n":3,"queens":[[0,0],[0,2]]}
//! ```
//!
//! `cols` holds the column of each row's queen, from 0, and `null` for a row without one.
//! A placement with two queens in some row has `queens` instead: a pair of row and column,
//! from 0, per queen. The reader takes either, with or without `n` beside `cols`, in any
//! layout; `n` is needed beside `queens`.

use super::RowWalk;
use super::read::ParseError;
use crate::json::Object;
use crate::placement::{Placement, Square};

pub(super) fn write(
    n: usize,
    queens: impl Iterator<Item = Square>,
    crowded: bool,
    class_size: Option<usize>,
    out: &mut Vec<u8>,
) {
    let mut object = Object::after(std::mem::take(out)).set("n", n);
    object = if crowded {
        object.list("queens", queens)
    } else {
        let mut rows = RowWalk::new(queens);
        object.list("cols", (0..n).map(|row| rows.next_in(row)))
    };
    if let Some(size) = class_size {
        object = object.set("class_size", size);
    }
    *out = object.into_bytes();
    out.push(b'\n');
}

/// The object of a solution whose columns come one by one.
pub(super) fn stream<E>(
    n: usize,
    cols: impl Iterator<Item = usize>,
    mut send: impl FnMut(&[u8]) -> Result<(), E>,
) -> Result<(), E> {
    let object = Object::new()
        .set("n", n)
        .list_through("cols", cols, &mut send)?;
    let mut end = object.into_bytes();
    end.push(b'\n');
    send(&end)
}

/// The object as it is read; other fields are ignored.
#[cfg(feature = "json")]
#[derive(serde::Deserialize)]
struct Read {
    n: Option<usize>,
    cols: Option<Bounded<Option<u32>>>,
    queens: Option<Bounded<(u32, u32)>>,
}

/// The beginning of the message for a list that is longer than any placement needs.
#[cfg(feature = "json")]
const TOO_LONG: &str = "a list has more than";

/// A list that is refused once it is longer than any placement needs. A number that does not fit
/// into 32 bits is no row or column either.
#[cfg(feature = "json")]
struct Bounded<T>(Vec<T>);

#[cfg(feature = "json")]
impl<'de, T: serde::Deserialize<'de>> serde::Deserialize<'de> for Bounded<T> {
    fn deserialize<D: serde::Deserializer<'de>>(list: D) -> Result<Bounded<T>, D::Error> {
        struct Visitor<T>(std::marker::PhantomData<T>);

        impl<'de, T: serde::Deserialize<'de>> serde::de::Visitor<'de> for Visitor<T> {
            type Value = Bounded<T>;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("a list")
            }

            fn visit_seq<A: serde::de::SeqAccess<'de>>(
                self,
                mut values: A,
            ) -> Result<Bounded<T>, A::Error> {
                let mut list = Vec::new();
                while let Some(value) = values.next_element()? {
                    if list.len() == Placement::MAX_N {
                        return Err(serde::de::Error::custom(TOO_LONG));
                    }
                    list.push(value);
                }
                Ok(Bounded(list))
            }
        }

        list.deserialize_seq(Visitor(std::marker::PhantomData))
    }
}

/// Without the feature `json`, reading always fails.
#[cfg(not(feature = "json"))]
pub(super) fn read(_text: &str) -> Result<Placement, ParseError> {
    let reason = "this program was built without the feature `json` that reads it";
    Err(ParseError::Json(reason.to_owned()))
}

/// Why a text is no placement, in the words of this format.
#[cfg(feature = "json")]
fn what_is_wrong(error: &serde_json::Error) -> String {
    let (line, column) = (error.line(), error.column());
    let told = error.to_string();
    if error.is_eof() {
        "the text ends before it is complete".to_owned()
    } else if told.starts_with(TOO_LONG) {
        format!("{TOO_LONG} {} elements", Placement::MAX_N)
    } else if error.is_data() {
        format!(
            "at line {line}, column {column}: n is a number, cols a list of columns or null, and \
             queens a list of pairs such as [0,3]"
        )
    } else {
        format!("the text makes no sense at line {line}, column {column}")
    }
}

#[cfg(feature = "json")]
pub(super) fn read(text: &str) -> Result<Placement, ParseError> {
    let object: Read =
        serde_json::from_str(text).map_err(|e| ParseError::Json(what_is_wrong(&e)))?;
    match object {
        Read {
            n,
            cols: Some(Bounded(cols)),
            queens: None,
        } => match n {
            Some(n) if n != cols.len() => Err(ParseError::Json(format!(
                "n is {n}, but cols has {} elements",
                cols.len()
            ))),
            _ => {
                let cols = cols.into_iter().map(|col| col.map(|col| col as usize));
                Ok(Placement::from_rows(cols)?)
            }
        },
        Read {
            n: Some(n),
            cols: None,
            queens: Some(Bounded(queens)),
        } => {
            let squares = queens
                .into_iter()
                .map(|(row, col)| Square::new(row as usize, col as usize));
            Ok(Placement::new(n, squares)?)
        }
        _ => Err(ParseError::Json(
            "either cols, or both n and queens, are needed".to_owned(),
        )),
    }
}
