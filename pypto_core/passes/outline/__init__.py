"""Outlining of scopes into functions: the engine that three passes share (docs/spec/passes_front.md Part 9)."""
