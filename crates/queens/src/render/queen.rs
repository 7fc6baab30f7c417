//! The queen, drawn once for every format: a crown, a bar and five pearls.
//!
//! All coordinates lie in a unit square with the origin at the top left, so a format scales and
//! moves them and never draws a queen of its own. She needs only straight lines and circles, which
//! every drawing language has; a curve would have to be written three different ways.
//!
//! The crown keeps its outline down to about ten pixels: the middle point is the highest,
//! the outer ones lean out, and the valleys are deep enough not to fill in.

/// The outline of the crown, to be filled.
pub const CROWN: [(f64, f64); 11] = [
    (0.13, 0.34),
    (0.29, 0.54),
    (0.32, 0.24),
    (0.42, 0.51),
    (0.50, 0.19),
    (0.58, 0.51),
    (0.68, 0.24),
    (0.71, 0.54),
    (0.87, 0.34),
    (0.75, 0.72),
    (0.25, 0.72),
];

/// The bar below the crown: left, top, width, height.
pub const BAR: (f64, f64, f64, f64) = (0.24, 0.76, 0.52, 0.09);

/// The centres of the pearls on the points of the crown.
pub const PEARLS: [(f64, f64); 5] = [
    (0.13, 0.31),
    (0.32, 0.21),
    (0.50, 0.16),
    (0.68, 0.21),
    (0.87, 0.31),
];

/// The radius of a pearl.
pub const PEARL: f64 = 0.05;
