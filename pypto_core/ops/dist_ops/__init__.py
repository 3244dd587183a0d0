"""Operators of the ``dist.*`` family; importing this package registers them."""
