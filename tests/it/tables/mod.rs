//! Tables through the core's public interface: IDV, the layouts of TBF, texts in pieces.

mod idv;
mod tbf;
mod tbf_round_trip;
mod text_pieces;
