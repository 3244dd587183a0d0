"""Operators of the ``prefetch.*`` families; importing this package registers them."""
