"""How tensors travel between orchestration and kernels (docs/spec/passes_tensor_to_tile.md Part 2).

One module per step of OptimizeOrchTensors: ``merge`` (P1), ``strides`` (P2, P4), ``store_loops`` (P3), ``windows`` and
``windowize`` (P5); ``kernels`` and ``calls`` hold what they share.
"""
