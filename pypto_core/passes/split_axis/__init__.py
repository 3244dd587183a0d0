"""Halving the vector part of a kernel along one axis (docs/spec/passes_split.md §3 to §6, §8).

Shared by LowerAutoVectorSplit, SplitVectorKernel's standalone arm and ExpandMixedKernel's transport codes.
"""
