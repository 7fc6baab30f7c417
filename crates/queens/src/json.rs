//! Writes JSON: the one place where the project turns values into JSON.
//!
//! The command, the traces, the formats and the page all write small objects of a known shape. An
//! [`Object`] appends each member to its text at once. So it keeps the order in which members are
//! set, needs neither a tree of values nor a dependency, and keeps the page's module small.
//!
//! What can be written implements [`ToJson`]: numbers, truth values, texts, squares, lists
//! of these, an `Option` (`null` when there is nothing), and objects inside objects.
//!
//! ```
//! use queens::json::{Object, array};
//!
//! let object = Object::new()
//!     .set("n", 4)
//!     .set("cols", [1, 3, 0, 2])
//!     .set("name", "the \"first\" one")
//!     .set("images", array((0..2).map(|k| Object::new().set("number", k))))
//!     .set("next", None::<u8>);
//! assert_eq!(
//!     object.end(),
//!     r#"{"n":4,"cols":[1,3,0,2],"name":"the \"first\" one","images":[{"number":0},{"number":1}],"next":null}"#
//! );
//! ```

use std::fmt;
use std::io::Write;

use crate::line::Attack;
use crate::placement::Square;
use crate::solution::Solution;

/// A value that can be written as JSON.
pub trait ToJson {
    /// Appends the value.
    fn write_json(&self, out: &mut Vec<u8>);
}

/// How much text to collect before it is passed on.
const PART: usize = 1 << 16;

/// Escapes a text piece by piece and passes it on.
struct Through<'a, W, E> {
    text: &'a mut Vec<u8>,
    write: W,
    result: Result<(), E>,
}

impl<W: FnMut(&[u8]) -> Result<(), E>, E> fmt::Write for Through<'_, W, E> {
    fn write_str(&mut self, piece: &str) -> fmt::Result {
        escape(piece, self.text);
        if self.text.len() >= PART {
            self.result = (self.write)(self.text);
            self.text.clear();
        }
        self.result.as_ref().map_err(|_| fmt::Error).copied()
    }
}

/// An object in the making.
#[derive(Clone, Debug)]
pub struct Object {
    text: Vec<u8>,
    empty: bool,
    new_line: bool,
}

impl Default for Object {
    fn default() -> Object {
        Object::new()
    }
}

impl Object {
    /// An object without members.
    pub fn new() -> Object {
        Object::after(Vec::new())
    }

    /// An object that is appended to a text; [`Object::into_bytes`] gives both back.
    #[inline]
    pub fn after(mut text: Vec<u8>) -> Object {
        text.push(b'{');
        Object {
            text,
            empty: true,
            new_line: false,
        }
    }

    /// Adds a member.
    #[must_use]
    #[inline]
    pub fn set(mut self, name: &str, value: impl ToJson) -> Object {
        self.name(name);
        value.write_json(&mut self.text);
        self
    }

    /// Adds a member that is a list.
    #[must_use]
    #[inline]
    pub fn list<T: ToJson>(mut self, name: &str, values: impl IntoIterator<Item = T>) -> Object {
        self.name(name);
        write_array(values, &mut self.text);
        self
    }

    /// Adds a list of any length in constant memory: whenever enough text has collected, it goes to
    /// `write`, and the object keeps only the rest.
    ///
    /// # Errors
    ///
    /// Those of `write`.
    pub fn list_through<T: ToJson, E>(
        mut self,
        name: &str,
        values: impl IntoIterator<Item = T>,
        mut write: impl FnMut(&[u8]) -> Result<(), E>,
    ) -> Result<Object, E> {
        self.name(name);
        self.text.push(b'[');
        for (index, value) in values.into_iter().enumerate() {
            if index > 0 {
                self.text.push(b',');
            }
            value.write_json(&mut self.text);
            if self.text.len() >= PART {
                write(&self.text)?;
                self.text.clear();
            }
        }
        self.text.push(b']');
        Ok(self)
    }

    /// Adds a text of any length in constant memory, as [`Object::list_through`] adds a list.
    ///
    /// ```
    /// use queens::json::Object;
    ///
    /// let mut written = Vec::new();
    /// let object = Object::new().set("n", 2).text_through("lines", "a\nb", |part| {
    ///     written.extend_from_slice(part);
    ///     Ok::<(), std::io::Error>(())
    /// })?;
    /// written.extend(object.into_bytes());
    /// assert_eq!(written, br#"{"n":2,"lines":"a\nb"}"#);
    /// # Ok::<(), std::io::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Those of `write`.
    pub fn text_through<E>(
        mut self,
        name: &str,
        text: impl fmt::Display,
        write: impl FnMut(&[u8]) -> Result<(), E>,
    ) -> Result<Object, E> {
        self.name(name);
        self.text.push(b'"');
        let mut through = Through {
            text: &mut self.text,
            write,
            result: Ok(()),
        };
        // If displaying the text fails, the text ends there.
        let _ = fmt::Write::write_fmt(&mut through, format_args!("{text}"));
        through.result?;
        self.text.push(b'"');
        Ok(self)
    }

    /// Begins a new line before the next member, for human readers.
    #[must_use]
    pub fn new_line(mut self) -> Object {
        self.new_line = true;
        self
    }

    /// The whole object.
    pub fn end(self) -> String {
        String::from_utf8(self.into_bytes()).expect("JSON is made of texts")
    }

    /// The whole object, after the text it was appended to.
    #[inline]
    pub fn into_bytes(mut self) -> Vec<u8> {
        self.text.push(b'}');
        self.text
    }

    #[inline]
    fn name(&mut self, name: &str) {
        if !self.empty {
            self.text.push(b',');
        }
        self.empty = false;
        if std::mem::take(&mut self.new_line) {
            self.text.push(b'\n');
        }
        name.write_json(&mut self.text);
        self.text.push(b':');
    }
}

impl ToJson for Object {
    fn write_json(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.text);
        out.push(b'}');
    }
}

/// A finished piece of JSON.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Value(Vec<u8>);

impl Value {
    /// Writes a value, to be used as a part of others.
    pub fn of(value: impl ToJson) -> Value {
        let mut text = Vec::new();
        value.write_json(&mut text);
        Value(text)
    }
}

impl ToJson for Value {
    fn write_json(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.0);
    }
}

/// A list of values that come one by one.
pub fn array<T: ToJson>(values: impl IntoIterator<Item = T>) -> Value {
    let mut text = Vec::new();
    write_array(values, &mut text);
    Value(text)
}

#[inline]
fn write_array<T: ToJson>(values: impl IntoIterator<Item = T>, out: &mut Vec<u8>) {
    out.push(b'[');
    for (index, value) in values.into_iter().enumerate() {
        if index > 0 {
            out.push(b',');
        }
        value.write_json(out);
    }
    out.push(b']');
}

impl<T: ToJson + ?Sized> ToJson for &T {
    #[inline]
    fn write_json(&self, out: &mut Vec<u8>) {
        (**self).write_json(out);
    }
}

impl<T: ToJson> ToJson for Option<T> {
    #[inline]
    fn write_json(&self, out: &mut Vec<u8>) {
        match self {
            Some(value) => value.write_json(out),
            None => out.extend_from_slice(b"null"),
        }
    }
}

impl<T: ToJson> ToJson for [T] {
    fn write_json(&self, out: &mut Vec<u8>) {
        write_array(self, out);
    }
}

impl<T: ToJson> ToJson for Vec<T> {
    fn write_json(&self, out: &mut Vec<u8>) {
        write_array(self, out);
    }
}

impl<T: ToJson, const LENGTH: usize> ToJson for [T; LENGTH] {
    #[inline]
    fn write_json(&self, out: &mut Vec<u8>) {
        write_array(self, out);
    }
}

impl ToJson for str {
    #[inline]
    fn write_json(&self, out: &mut Vec<u8>) {
        out.push(b'"');
        if self.bytes().all(is_plain) {
            out.extend_from_slice(self.as_bytes());
        } else {
            escape(self, out);
        }
        out.push(b'"');
    }
}

impl ToJson for String {
    fn write_json(&self, out: &mut Vec<u8>) {
        self.as_str().write_json(out);
    }
}

/// Whether a byte stands for itself in a JSON text. The bytes of longer characters do.
#[inline]
fn is_plain(byte: u8) -> bool {
    byte >= b' ' && byte != b'"' && byte != b'\\'
}

fn escape(text: &str, out: &mut Vec<u8>) {
    for byte in text.bytes() {
        match byte {
            b'"' => out.extend_from_slice(b"\\\""),
            b'\\' => out.extend_from_slice(b"\\\\"),
            b'\n' => out.extend_from_slice(b"\\n"),
            byte if is_plain(byte) => out.push(byte),
            byte => display(format_args!("\\u{byte:04x}"), out),
        }
    }
}

impl ToJson for bool {
    fn write_json(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(if *self { b"true" } else { b"false" });
    }
}

/// The shortest text that reads back as the same number. JSON has no infinity or NaN: `null`.
impl ToJson for f64 {
    fn write_json(&self, out: &mut Vec<u8>) {
        if self.is_finite() {
            display(format_args!("{self:?}"), out);
        } else {
            out.extend_from_slice(b"null");
        }
    }
}

macro_rules! whole_numbers {
    ($($number:ty)*) => {$(
        impl ToJson for $number {
            #[inline]
            fn write_json(&self, out: &mut Vec<u8>) {
                // Lists of solutions consist of small numbers.
                match *self {
                    value @ 0..10 => out.push(b'0' + value as u8),
                    value @ 10..100 => {
                        out.extend_from_slice(&[b'0' + (value / 10) as u8, b'0' + (value % 10) as u8]);
                    }
                    value => display(format_args!("{value}"), out),
                }
            }
        }
    )*};
}
whole_numbers!(u8 u16 u32 u64 u128 usize i16 i32 i64 isize);

fn display(value: std::fmt::Arguments<'_>, out: &mut Vec<u8>) {
    out.write_fmt(value).expect("memory takes what is written");
}

/// A pair of row and column, from 0.
impl ToJson for Square {
    fn write_json(&self, out: &mut Vec<u8>) {
        [self.row, self.col].write_json(out);
    }
}

impl ToJson for Solution {
    fn write_json(&self, out: &mut Vec<u8>) {
        self.cols().write_json(out);
    }
}

/// Two squares that share a line, as `check --json`, traces, trees and the page write them; the
/// line is `row`, `col`, `diag` or `anti`.
///
/// ```
/// use queens::json::attack;
/// use queens::{Attack, Square};
///
/// let pair = Attack::between(Square::new(0, 0), Square::new(1, 1)).unwrap();
/// assert_eq!(attack(&pair).end(), r#"{"first":[0,0],"second":[1,1],"line":"diag"}"#);
/// ```
pub fn attack(attack: &Attack) -> Object {
    Object::new()
        .set("first", attack.first)
        .set("second", attack.second)
        .set("line", attack.line.name())
}

impl ToJson for Attack {
    fn write_json(&self, out: &mut Vec<u8>) {
        attack(self).write_json(out);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Reads a text back with a real parser.
    fn read(text: &str) -> serde_json::Value {
        serde_json::from_str(text).unwrap_or_else(|error| panic!("{text}: {error}"))
    }

    fn written(value: impl ToJson) -> String {
        Object::new().set("it", value).end()
    }

    #[test]
    fn texts_come_back_whatever_they_hold() {
        let nasty = "a \"quote\", a \\, a\nline, a\ttab, \u{0} \u{1f} \u{7f} and “é ♛”";
        let object = Object::new()
            .set(nasty, nasty)
            .set("words", ["x", nasty])
            .end();
        let value = read(&object);
        assert_eq!(value[nasty], nasty);
        assert_eq!(value["words"][1], nasty);
        for code in 0..0x250 {
            let text = char::from_u32(code).unwrap().to_string();
            assert_eq!(read(&written(&text))["it"], text, "{code:#x}");
        }
    }

    #[test]
    fn numbers_come_back_exactly() {
        for number in [0, 9, 10, 42, 99, 100, 12_345, u64::MAX] {
            assert_eq!(read(&written(number))["it"], number);
        }
        for number in [i64::MIN, -100, -10, -1, 0, 7] {
            assert_eq!(read(&written(number))["it"], number);
        }
        for number in [0.0, -0.5, 1.0, 1e-9, 2.5e300, f64::MIN_POSITIVE, 0.1 + 0.2] {
            assert_eq!(read(&written(number))["it"].as_f64(), Some(number));
        }
        assert_eq!(written(u128::MAX), format!("{{\"it\":{}}}", u128::MAX));
        assert_eq!(written(f64::INFINITY), r#"{"it":null}"#);
        assert_eq!(written(f64::NAN), r#"{"it":null}"#);
    }

    #[test]
    fn lists_objects_and_nothing_stand_inside_each_other() {
        assert_eq!(Object::new().end(), "{}");
        assert_eq!(written(Vec::<u8>::new()), r#"{"it":[]}"#);
        assert_eq!(written([Some(1), None]), r#"{"it":[1,null]}"#);
        assert_eq!(
            written(array([[true], [false]])),
            r#"{"it":[[true],[false]]}"#
        );
        assert_eq!(
            written(Value::of(Object::new().set("a", 1).list("b", 0..3))),
            r#"{"it":{"a":1,"b":[0,1,2]}}"#
        );
        assert_eq!(
            Object::new().set("a", 1).new_line().set("b", 2).end(),
            "{\"a\":1,\n\"b\":2}"
        );
    }

    #[test]
    fn a_long_list_goes_out_in_parts_and_is_the_same() {
        let (mut out, mut parts) = (Vec::new(), 0);
        let object = Object::new().list_through("k", 0..50_000u32, |part| {
            parts += 1;
            out.extend_from_slice(part);
            Ok::<(), ()>(())
        });
        out.extend(object.unwrap().set("n", 1).into_bytes());
        let whole = Object::new().list("k", 0..50_000u32).set("n", 1).end();
        assert_eq!(out, whole.as_bytes());
        assert!(parts > 1);
        assert_eq!(
            Object::new()
                .list_through("k", 0..50_000u32, |_| Err(7))
                .unwrap_err(),
            7
        );
    }

    #[test]
    fn an_object_can_follow_a_text() {
        let line = Object::after(b"one\n".to_vec()).set("n", 1).into_bytes();
        assert_eq!(line, b"one\n{\"n\":1}");
    }
}
