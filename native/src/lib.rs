//! Forebay on a machine.
