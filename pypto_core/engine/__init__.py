"""The incremental engine: inputs, queries, revisions, cancellation (docs/architecture.md §4)."""
