"""Parts of FlattenTileNdTo2D: what it refuses, facts about a function, batched products, transposes."""
