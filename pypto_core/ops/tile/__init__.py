"""Operators of the ``tile.*`` families; importing this package registers them."""
