"""The names of other packages on this engine."""
