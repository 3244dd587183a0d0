"""Operators of the ``system.*`` families; importing this package registers them."""
