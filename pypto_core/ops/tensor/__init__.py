"""Operators of the ``tensor.*`` families; importing this package registers them."""
