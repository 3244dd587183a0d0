"""How tensor operators become tile operators (docs/spec/passes_tensor_to_tile.md Part 1).

``lowering`` is what one converter sees, ``table`` the converters by operator name, one module per operator family
beside them. ``canonical``, ``demand``, ``entry_loads``, ``body``, ``results``, ``directions`` and ``callers`` are the
steps of the pass in the order in which they run; ``pypto_core.passes.convert_tensor_to_tile_ops`` strings them together.
"""
