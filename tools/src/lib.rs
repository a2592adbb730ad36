//! Tools of the project.
