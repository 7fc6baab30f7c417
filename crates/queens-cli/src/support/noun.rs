//! Nouns after numbers.

use std::fmt::Display;

/// A number of things, such as `1 unit` or `2 units`.
pub fn counted<T: Display + PartialEq + From<u8>>(number: T, thing: &str) -> String {
    let s = if number == T::from(1) { "" } else { "s" };
    format!("{number} {thing}{s}")
}

#[cfg(test)]
mod tests {
    use super::counted;

    #[test]
    fn only_one_thing_has_no_s() {
        for (number, told) in [(0u64, "0 units"), (1, "1 unit"), (2, "2 units")] {
            assert_eq!(counted(number, "unit"), told);
        }
    }
}
