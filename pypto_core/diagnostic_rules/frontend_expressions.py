"""Rows of the table of codes: expressions and calls (docs/spec/language.md §7.5)."""

from __future__ import annotations

from pypto_core.diagnostic_rules.frontend_samples import rule, tensors, whole
from pypto_core.diagnostics import Rule, Severity

RULES: tuple[Rule, ...] = (
    rule(
        "expr-unsupported",
        "This expression has no meaning in a kernel",
        "Conditional expressions, comprehensions, f-strings, lambdas, sets and dicts cannot be computed by a kernel.",
        "m = «1 if n > 3 else 2»",
        "m = pl.min(n, 3)",
        fix="safe",
    ),
    rule(
        "name-undefined",
        "Unknown name",
        "The name is bound neither in the kernel nor around it.",
        "b = pl.exp(«aa»)",
        "b = pl.exp(a)",
        fix="review",
    ),
    rule(
        "constant-unsupported",
        "This constant is no value",
        "Values of a kernel are numbers, True, False and None.",
        'm = «"four"»',
        "m = 4",
    ),
    rule(
        "closure-type",
        "An outer value that a kernel cannot use",
        "From outside a kernel sees numbers, pl.dynamic symbols and lists of these.",
        """
        NAMES = {"rows": 64}


        @pl.function
        def kernel(n: pl.Scalar[pl.INDEX]) -> pl.Scalar[pl.INDEX]:
            m = «NAMES»
            return n
        """,
        """
        ROWS = 64


        @pl.function
        def kernel(n: pl.Scalar[pl.INDEX]) -> pl.Scalar[pl.INDEX]:
            m = ROWS
            return m
        """,
        whole,
    ),
    rule(
        "closure-eval",
        "A constant expression fails",
        "Python itself would refuse to compute this value.",
        "m = «N // 0»",
        "m = N // 2",
        fix="review",
    ),
    rule(
        "binop-unsupported",
        "Operator without meaning on run-time values",
        "&, |, ^, ** and @ exist for constants only; tensors and tiles have pl functions.",
        "m = «n & 3»",
        "m = n % 4",
        fix="review",
    ),
    rule(
        "unary-unsupported",
        "Unary operator without meaning",
        "A unary plus does nothing, ~ needs an integer.",
        "m = «+n»",
        "m = n",
        fix="safe",
    ),
    rule(
        "compare-unsupported",
        "Comparison without meaning",
        "'is' and 'in' cannot be computed by a kernel.",
        "if «n is 3»:\n    a = pl.exp(a)",
        "if n == 3:\n    a = pl.exp(a)",
        fix="review",
    ),
    rule(
        "boolop-unsupported",
        "'and' or 'or' of something that is no scalar",
        "and and or join conditions, which are scalars. A tuple, an array or a task has no truth value in a kernel; compare it with something.",
        "if n > 3 and «(n, 4)»:\n    a = pl.exp(a)",
        "if n > 3 and n < 4:\n    a = pl.exp(a)",
    ),
    rule(
        "compare-chained",
        "Chained comparison",
        "A comparison has two operands; join several with and.",
        "if «0 < n < 4»:\n    a = pl.exp(a)",
        "if 0 < n and n < 4:\n    a = pl.exp(a)",
        fix="safe",
    ),
    rule(
        "python-operator-on-tensor",
        "Python operator on a tensor or tile",
        "Operators of Python work on scalars. Tensors and tiles have functions: pl.add, pl.sub, pl.mul, pl.div, pl.neg, pl.cmp.",
        "b = «a + a»",
        "b = pl.add(a, a)",
        fix="safe",
    ),
    rule(
        "call-unsupported",
        "This cannot be called in a kernel",
        "A kernel calls functions of pl and pld, functions of its program and @pl.inline templates. Python functions run before compiling.",
        "m = «max»(n, 3)",
        "m = pl.max(n, 3)",
        fix="sometimes",
    ),
    rule(
        "attr-standalone",
        "Attribute that is no value",
        "Attributes of tensors and of outer objects are not values in a @pl.function; use pl.tensor.dim or a module-level name.",
        "m = «x.shape»",
        "m = pl.tensor.dim(x, 0)",
        fix="sometimes",
    ),
    rule(
        "yield-in-expression",
        "Yield inside an expression",
        "pl.yield_ stands alone or on the right of an assignment.",
        "for i, (t,) in pl.range(4, init_values=(a,)):\n    u = pl.exp(«pl.yield_(t)»)\n    r = pl.yield_(t)",
        "for i, (t,) in pl.range(4, init_values=(a,)):\n    u = pl.exp(t)\n    r = pl.yield_(u)",
    ),
    rule(
        "subscript-base",
        "Subscript of something without elements",
        "Tuples, arrays, tensors and tiles have elements.",
        "m = «n[0]»",
        "m = n",
    ),
    rule(
        "subscript-indices",
        "Too many indices",
        "There are at most as many indices as dimensions.",
        "b = «x[0, 0, 0]»",
        "b = x[0, 0]",
        tensors,
    ),
    rule(
        "tuple-index",
        "Index of a tuple",
        "The index of a tuple is an integer literal within its length.",
        "t = (n, 4)\nm = t[«2»]",
        "t = (n, 4)\nm = t[1]",
    ),
    rule(
        "slice-step",
        "Slice with a step",
        "Slices of tensors and tiles are contiguous.",
        "b = x[0:64:«2», :]",
        "b = x[0:64, :]",
        tensors,
        fix="review",
    ),
    rule(
        "tile-dynamic-lower",
        "Slice of a tile with a run-time start",
        "A tile is cut where the compiler can see it. Slice the tensor before loading, or use pl.tile.slice.",
        "b = a[«n:64», :]",
        "b = a[32:64, :]",
        fix="safe",
    ),
    rule(
        "tile-slice-extent",
        "Empty slice of a tile",
        "A slice takes at least one element.",
        "b = a[«32:32», :]",
        "b = a[32:64, :]",
    ),
    rule(
        "tile-subscript-promoted",
        "A tile keeps two dimensions",
        "Dropping a dimension of a two-dimensional tile gives a tile with a unit dimension.",
        "b = «a[0, :]»",
        "b = a[0:1, :]",
        severity=Severity.WARNING,
    ),
    rule(
        "negative-index",
        "Negative index",
        "Indices do not count from the end.",
        "b = x[«-1», :]",
        "b = x[63, :]",
        tensors,
        fix="review",
    ),
    rule(
        "const-form",
        "Form of pl.const",
        "pl.const takes a numeric literal and a dtype.",
        "m = pl.const(«n», pl.INT32)",
        "m = pl.const(4, pl.INT32)",
    ),
    rule(
        "get-byte-dtype",
        "Unknown dtype before get_byte",
        "pl.<DTYPE>.get_byte() is the size of one element.",
        "m = «pl.FP31.get_byte»()",
        "m = pl.FP32.get_byte()",
        fix="review",
    ),
)
