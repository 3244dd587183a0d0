"""Operators of the ``array.*`` families; importing this package registers them."""
