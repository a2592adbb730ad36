//! The loader: batches of tensors, in order, whatever happens.

#![allow(clippy::disallowed_methods, clippy::disallowed_types, reason = "a test of files and threads")]

mod support;

mod batches;
mod decoded;
mod drawn;
mod extremes;
mod faults;
mod groups;
mod labels;
mod listed;
mod outside;
mod packed;
mod padded;
mod placements;
mod recipes;
mod rows;
mod running;
mod sampling;
mod settings;
mod targets;
mod timeline;
mod together;
