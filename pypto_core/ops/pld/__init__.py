"""Operators of the ``pld.*`` families; importing this package registers them."""
