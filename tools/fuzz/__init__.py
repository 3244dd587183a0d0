"""Fuzzing of the whole analysis: kernels that are nearly right, by grammar-aware mutation of right ones.

The analysis must end, in time, with findings; an exception, an ``internal`` finding, or a fix that cannot be applied is a crash.
"""
