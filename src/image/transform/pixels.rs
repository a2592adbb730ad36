//! How pixels are found and laid out.

/// How pixels between pixels are found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Resampling {
    /// The nearest pixel.
    Nearest,
    /// Linear, over all pixels that a smaller one stands for.
    #[default]
    Bilinear,
    /// Linear between four pixels only, however much smaller the result: as many loaders do, with aliasing.
    BilinearPlain,
    /// Cubic.
    Bicubic,
    /// Lanczos over three lobes.
    Lanczos,
}

/// The order of a tensor's axes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Layout {
    /// A plane for each channel: PyTorch's.
    #[default]
    Nchw,
    /// Channels side by side: TensorFlow's, and PyTorch's `channels_last`.
    Nhwc,
}

impl crate::words::Word for Layout {
    const ALL: &'static [Self] = &[Layout::Nchw, Layout::Nhwc];

    fn word(self) -> &'static str {
        match self {
            Layout::Nchw => "nchw",
            Layout::Nhwc => "nhwc",
        }
    }
}

impl Layout {
    /// The axes of one picture.
    #[doc(hidden)]
    pub fn shape(self, width: usize, height: usize) -> [usize; 3] {
        match self {
            Layout::Nchw => [3, height, width],
            Layout::Nhwc => [height, width, 3],
        }
    }
}
