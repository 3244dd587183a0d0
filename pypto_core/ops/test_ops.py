"""``test.*``: operators without a device meaning, used to exercise the registry itself."""
