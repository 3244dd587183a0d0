"""The language server: pure functions on kernels with a cursor, and sessions over standard input and output."""
