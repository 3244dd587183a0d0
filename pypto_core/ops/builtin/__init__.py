"""Operators of the ``builtin.tensor.*`` families; importing this package registers them."""
