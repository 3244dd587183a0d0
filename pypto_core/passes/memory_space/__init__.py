"""Parts of InferTileMemorySpace: deciding spaces, inserting moves, keeping loop-invariant operands in Mat."""
