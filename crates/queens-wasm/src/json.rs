//! Just enough JSON to answer with: objects, arrays, escaped strings.
//!
//! The answers are small and their shapes are fixed, so they are written directly; a
//! serialiser would be a quarter of the module the browser has to load.

use std::fmt::{Display, Write};

/// An object in the making.
pub struct Object(String);

impl Object {
    pub fn new() -> Object {
        Object(String::from("{"))
    }

    /// Adds a value that is JSON already.
    #[must_use]
    pub fn raw(mut self, key: &str, value: &str) -> Object {
        if self.0.len() > 1 {
            self.0.push(',');
        }
        push_string(&mut self.0, key);
        self.0.push(':');
        self.0.push_str(value);
        self
    }

    /// Adds a number, `true`, `false` or `null`.
    #[must_use]
    pub fn num(self, key: &str, value: impl Display) -> Object {
        let value = value.to_string();
        self.raw(key, &value)
    }

    /// Adds a string.
    #[must_use]
    pub fn str(self, key: &str, value: &str) -> Object {
        let value = string(value);
        self.raw(key, &value)
    }

    pub fn end(mut self) -> String {
        self.0.push('}');
        self.0
    }
}

/// An array of values that are JSON already, or numbers.
pub fn array<T: Display>(values: impl IntoIterator<Item = T>) -> String {
    let mut out = String::from("[");
    for (i, value) in values.into_iter().enumerate() {
        let comma = if i == 0 { "" } else { "," };
        write!(out, "{comma}{value}").expect("writing to a string");
    }
    out.push(']');
    out
}

/// An array of strings.
pub fn strings<T: AsRef<str>>(values: impl IntoIterator<Item = T>) -> String {
    array(values.into_iter().map(|value| string(value.as_ref())))
}

/// A string with its quotes.
pub fn string(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    push_string(&mut out, text);
    out
}

fn push_string(out: &mut String, text: &str) {
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            c if c < ' ' => write!(out, "\\u{:04x}", c as u32).expect("writing to a string"),
            c => out.push(c),
        }
    }
    out.push('"');
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_can_be_read_by_a_real_parser() {
        let nasty = "a \"quote\", a \\, a\nline, a \u{1} and “é ♛”";
        let text = Object::new()
            .str("nasty", nasty)
            .num("three", 3)
            .raw("list", &array([1, 2]))
            .raw("words", &strings(["x", nasty]))
            .end();
        let value: serde_json::Value = serde_json::from_str(&text).unwrap();
        assert_eq!(value["nasty"], nasty);
        assert_eq!(value["three"], 3);
        assert_eq!(value["list"][1], 2);
        assert_eq!(value["words"][1], nasty);
        assert_eq!(Object::new().end(), "{}");
    }
}
