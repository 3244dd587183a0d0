"""What the memory passes share: the memory of a value, its producer, its lifetime (docs/spec/passes_tile.md §9)."""
