//! Text from strangers that ends up on a terminal, in a page or in an export.
//!
//! A device name or an error may come from an untrusted worker or file. It may contain escape
//! sequences that paint over a terminal, characters that reverse the direction of a line, or a
//! megabyte of text. [`plain`] makes it harmless; [`is_plain`] tells whether it already is.

/// The longest device name that a ledger accepts.
pub const LONGEST_NAME: usize = 200;

/// Whether a character does more than appear in its place.
fn acts(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}'
            | '\u{feff}')
}

/// Whether a text is not empty, has at most `most` characters, and contains none that acts on a
/// terminal.
pub fn is_plain(text: &str, most: usize) -> bool {
    !text.is_empty() && text.chars().count() <= most && !text.contains(acts)
}

/// Makes a text harmless: one line of at most `most` characters.
///
/// ```
/// use queens_campaign::text::plain;
/// assert_eq!(plain("ada/cpu", 20), "ada/cpu");
/// assert_eq!(plain("\x1b[2Jada\n", 20), "?[2Jada?");
/// assert_eq!(plain("abcdefgh", 5), "abcd…");
/// ```
pub fn plain(text: &str, most: usize) -> String {
    let mut shown: String = text
        .chars()
        .take(most)
        .map(|c| if acts(c) { '?' } else { c })
        .collect();
    if text.chars().nth(most).is_some() {
        shown.pop();
        shown.push('…');
    }
    shown
}
