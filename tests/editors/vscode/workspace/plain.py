"""A file like most others: it has nothing to do with kernels."""


def area(radius):
    return math.pi * radius**2
