//! Pictures that a verb writes to a file, `.svg` or `.png`.

use std::path::{Path, PathBuf};

use anyhow::bail;

use super::file;

/// A file for a picture; its name says in which format.
#[derive(Clone, Debug)]
pub struct PictureFile {
    path: PathBuf,
    is_png: bool,
}

impl PictureFile {
    /// The file at a path; `what` and `option` name the picture and who asked for it.
    pub fn new(path: &Path, what: &str, option: &str) -> anyhow::Result<PictureFile> {
        let is_png = match path.extension().and_then(|extension| extension.to_str()) {
            Some("svg") => false,
            Some("png") if cfg!(feature = "png") => true,
            Some("png") => return Err(no_png(&format!("{option} FILE.png"))),
            _ => bail!("{what} is written to a file that ends in .svg or .png"),
        };
        Ok(PictureFile {
            path: path.to_owned(),
            is_png,
        })
    }

    /// Whether the picture becomes a bitmap, and so cannot count on fonts.
    pub fn is_png(&self) -> bool {
        self.is_png
    }

    /// Writes one of our own drawings.
    pub fn write(&self, svg: String) -> anyhow::Result<()> {
        let bytes = match self.is_png {
            true => png(&svg)?,
            false => svg.into_bytes(),
        };
        file::replace(&self.path, |out| Ok(out.write_all(&bytes)?))
    }
}

/// Renders one of our own SVG pictures, which need no fonts.
#[cfg(feature = "png")]
pub fn png(svg: &str) -> anyhow::Result<Vec<u8>> {
    use anyhow::Context;
    use resvg::{tiny_skia, usvg};
    let tree = usvg::Tree::from_str(svg, &usvg::Options::default())
        .context("the picture is no valid SVG")?;
    let size = tree.size().to_int_size();
    let mut pixels = tiny_skia::Pixmap::new(size.width(), size.height())
        .context("there is no memory for a picture of this size")?;
    resvg::render(&tree, tiny_skia::Transform::default(), &mut pixels.as_mut());
    pixels.encode_png().context("cannot encode the PNG")
}

#[cfg(not(feature = "png"))]
pub fn png(_: &str) -> anyhow::Result<Vec<u8>> {
    Err(no_png("queens show --format png"))
}

#[cfg(feature = "png")]
fn no_png(part: &str) -> anyhow::Error {
    anyhow::anyhow!("`{part}` is not in this build")
}

#[cfg(not(feature = "png"))]
fn no_png(part: &str) -> anyhow::Error {
    crate::cmd::absent::refusal(part, "png")
}
