"""Parts of ExpandMixedKernel: one mixed kernel becomes an AIC and an AIV function (docs/spec/passes_split.md §10)."""
