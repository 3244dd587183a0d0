"""Rows of the table of codes: assignments, branches, loops, compile-time statements (docs/spec/language.md §7.4)."""

from __future__ import annotations

from pypto_core.diagnostic_rules.frontend_samples import method, rule, tasks, tensors, whole
from pypto_core.diagnostics import Rule, Severity

_T = "pl.Tensor[[64, 64], pl.FP32]"

RULES: tuple[Rule, ...] = (
    rule(
        "stmt-unsupported",
        "This statement has no meaning in a kernel",
        "A kernel consists of assignments, for, while, if, with, return, calls, break, continue and pass.",
        "m = n\n«m += 1»",
        "m = n\nm = m + 1",
        fix="safe",
    ),
    rule(
        "assign-unsupported",
        "Unsupported assignment target",
        "One assignment binds one name, a tuple of names, or a subscript of a name.",
        "«b = c = pl.exp(a)»",
        "b = pl.exp(a)\nc = b",
        fix="safe",
    ),
    rule(
        "expr-not-ir",
        "Expression without effect",
        "A statement that is only an expression must be a call.",
        "«n + 1»",
        "m = n + 1",
    ),
    rule(
        "reassign-type",
        "A name keeps its type",
        "Rebinding a name writes the same variable, so the new value must have the same type.",
        "b = pl.exp(a)\n«b» = n",
        "b = pl.exp(a)\nm = n",
        fix="review",
    ),
    rule(
        "tuple-unpack-not-tuple",
        "Unpacking something that is no tuple",
        "Several targets need a value with as many elements.",
        "b, c = «pl.exp(a)»",
        "b, c = pl.exp(a), pl.neg(a)",
    ),
    rule(
        "tuple-unpack-count",
        "Number of targets",
        "Unpacking needs exactly as many names as the tuple has elements.",
        "«b, c» = pl.exp(a), pl.neg(a), a",
        "b, c, d = pl.exp(a), pl.neg(a), a",
    ),
    rule(
        "tuple-unpack-target",
        "Only names take elements of a tuple",
        "The targets of an unpacking are plain names, without nesting.",
        "b, «(c, d)» = pl.exp(a), a",
        "b, c = pl.exp(a), a",
    ),
    rule(
        "ssa-redefinition",
        "Second definition under strict_ssa",
        "With strict_ssa=True every name of a scope is defined once.",
        f"@pl.function(strict_ssa=True)\ndef kernel(self, x: {_T}) -> {_T}:\n    y = pl.exp(x)\n    «y» = pl.neg(y)\n    return y",
        f"@pl.function(strict_ssa=True)\ndef kernel(self, x: {_T}) -> {_T}:\n    y = pl.exp(x)\n    z = pl.neg(y)\n    return z",
        method,
        fix="review",
    ),
    rule(
        "subscript-write-ssa",
        "Subscript assignment under strict_ssa",
        "Assigning to a part of a tensor rebinds its name, which strict_ssa forbids.",
        f"@pl.function(strict_ssa=True)\ndef kernel(self, x: {_T}, y: {_T}) -> {_T}:\n    «x[:, :]» = y\n    return x",
        f"@pl.function(strict_ssa=True)\ndef kernel(self, x: {_T}, y: {_T}) -> {_T}:\n    z = pl.assemble(x, y, [0, 0])\n    return z",
        method,
        fix="review",
    ),
    rule(
        "subscript-write-target",
        "Subscript of something that is no name",
        "Only a plain name can be written in part.",
        "«pl.exp(x)»[0:64, :] = y",
        "x[0:64, :] = y",
        tensors,
    ),
    rule(
        "subscript-write-base",
        "Subscript assignment to a scalar",
        "Tensors, tiles and arrays have parts that can be assigned.",
        "«n»[0] = 4",
        "m = 4",
        tensors,
    ),
    rule(
        "subscript-write-source",
        "Source of a subscript assignment",
        "The value must be of the same kind as the target and fit the part that is written.",
        "x[0:32, :] = «y»",
        "x[0:32, :] = y[0:32, :]",
        tensors,
        fix="review",
    ),
    rule(
        "subscript-write-indices",
        "Indices of a subscript assignment",
        "There are at most as many indices as dimensions.",
        "«x[:, :, :]» = y",
        "x[:, :] = y",
        tensors,
    ),
    rule(
        "element-write",
        "Writing one element",
        "A single element is written with pl.write.",
        "«x[0, n]» = 1.0",
        "pl.write(x, [0, n], 1.0)",
        tensors,
        fix="safe",
    ),
    rule(
        "yield-outside",
        "Yield outside a loop or if",
        "pl.yield_ hands values to the loop or if around it.",
        "b = «pl.yield_(a)»",
        "b = a",
    ),
    rule(
        "yield-bare-init-values",
        "Yield without names in a loop with initial values",
        "In a loop that carries values the yield names what comes out of it.",
        "for i, (t,) in pl.range(4, init_values=(a,)):\n    u = pl.exp(t)\n    «pl.yield_(u)»",
        "for i, (t,) in pl.range(4, init_values=(a,)):\n    u = pl.exp(t)\n    r = pl.yield_(u)",
        fix="safe",
    ),
    rule(
        "if-yield-mismatch",
        "Branches that yield differently",
        "Both branches of an if yield the same names, as many values, of the same types.",
        "«if n > 3:»\n    r = pl.yield_(a)",
        "if n > 3:\n    r = pl.yield_(a)\nelse:\n    r = pl.yield_(pl.exp(a))",
    ),
    rule(
        "loop-iterator",
        "Not a loop of the language",
        "A for statement runs over pl.range, pl.parallel, pl.unroll, pl.pipeline, pl.while_, pl.spmd or pl.split_aiv.",
        "for i in «range(4)»:\n    a = pl.exp(a)",
        "for i in pl.range(4):\n    a = pl.exp(a)",
        fix="safe",
    ),
    rule(
        "loop-target",
        "Target of a loop",
        "The target is a name, or a name and a tuple of carried names: for i, (a, b) in ...",
        "for i, «j» in pl.range(4, init_values=(a,)):\n    r = pl.yield_(a)",
        "for i, (t,) in pl.range(4, init_values=(a,)):\n    r = pl.yield_(t)",
    ),
    rule(
        "loop-init-count",
        "Number of initial values",
        "Every carried name has one initial value.",
        "for i, (t, u) in pl.range(4, init_values=«(a,)»):\n    r, q = pl.yield_(t, u)",
        "for i, (t, u) in pl.range(4, init_values=(a, a)):\n    r, q = pl.yield_(t, u)",
    ),
    rule(
        "loop-init-form",
        "Form of init_values",
        "init_values is a tuple or list literal.",
        "for i, (t,) in pl.range(4, init_values=«a»):\n    r = pl.yield_(t)",
        "for i, (t,) in pl.range(4, init_values=(a,)):\n    r = pl.yield_(t)",
    ),
    rule(
        "loop-yield-count",
        "Number of yielded values",
        "A loop yields as many values as it carries.",
        "for i, (t,) in pl.range(4, init_values=(a,)):\n    «r», q = pl.yield_(t, t)",
        "for i, (t,) in pl.range(4, init_values=(a,)):\n    r = pl.yield_(t)",
    ),
    rule(
        "loop-no-args",
        "Loop without a bound",
        "A loop needs at least the number of its iterations.",
        "for i in «pl.range()»:\n    a = pl.exp(a)",
        "for i in pl.range(4):\n    a = pl.exp(a)",
    ),
    rule(
        "loop-bound",
        "A loop bound is an integer",
        "Start, stop and step of a loop are integer scalars.",
        "for i in pl.range(«s»):\n    a = pl.exp(a)",
        "for i in pl.range(n):\n    a = pl.exp(a)",
    ),
    rule(
        "loop-keyword",
        "Unknown keyword of a loop",
        "Loops take init_values and attrs; pl.pipeline takes stage as well.",
        "for i in pl.range(4, «chunk=2»):\n    a = pl.exp(a)",
        "for i in pl.range(4):\n    a = pl.exp(a)",
        fix="review",
    ),
    rule(
        "loop-extra-arg",
        "More than three bounds",
        "A loop has start, stop and step. The compiler ignores what follows.",
        "for i in pl.range(0, 4, 1, «2»):\n    a = pl.exp(a)",
        "for i in pl.range(0, 4, 1):\n    a = pl.exp(a)",
        severity=Severity.WARNING,
        fix="safe",
    ),
    rule(
        "unroll-init",
        "pl.unroll carries no values",
        "An unrolled loop is copied; values that go from one iteration to the next need pl.range.",
        "for i in pl.unroll(4, «init_values=(a,)»):\n    b = pl.exp(a)",
        "for i in pl.unroll(4):\n    b = pl.exp(a)",
        fix="review",
    ),
    rule(
        "unroll-const",
        "Bounds of pl.unroll are constants",
        "The compiler copies the body of an unrolled loop, so it must know how often.",
        "for i in pl.unroll(«n»):\n    b = pl.exp(a)",
        "for i in pl.unroll(4):\n    b = pl.exp(a)",
        fix="review",
    ),
    rule(
        "pipeline-stage",
        "Stages of a pipeline",
        "pl.pipeline needs stage=<positive integer>.",
        "for i in «pl.pipeline(4)»:\n    b = pl.exp(a)",
        "for i in pl.pipeline(4, stage=2):\n    b = pl.exp(a)",
        fix="review",
    ),
    rule(
        "while-form",
        "Form of pl.while_",
        "A carried while loop is 'for (a,) in pl.while_(init_values=(x,))' and its body starts with pl.cond(condition).",
        "for (m,) in pl.while_(init_values=(n,)):\n    «r = pl.yield_(m)»",
        "for (m,) in pl.while_(init_values=(n,)):\n    pl.cond(m < 4)\n    r = pl.yield_(m + 1)",
    ),
    rule(
        "loop-else-dropped",
        "else of a loop",
        "The compiler discards the else block of a loop.",
        "for i in pl.range(4):\n    a = pl.exp(a)\nelse:\n    «a = pl.neg(a)»",
        "for i in pl.range(4):\n    a = pl.exp(a)\na = pl.neg(a)",
        severity=Severity.WARNING,
        fix="review",
    ),
    rule(
        "loop-escape",
        "break or continue where there is no way out",
        "break and continue work in pl.range, pl.pipeline and while loops. Iterations of parallel and unrolled loops and lanes of a region do not stop each other.",
        "for i in pl.parallel(4):\n    «break»",
        "for i in pl.range(4):\n    break",
        fix="review",
    ),
    rule(
        "cond-not-bool",
        "A condition is a BOOL scalar",
        "Numbers and tensors have no truth value in a kernel: compare them.",
        "if «n»:\n    a = pl.exp(a)",
        "if n != 0:\n    a = pl.exp(a)",
        fix="safe",
    ),
    rule(
        "submit-form",
        "Form of a submit",
        "A submit is assigned to the result and the task id: out, task = pl.submit(self.kernel, ...).",
        "«pl.submit(self.scale, x, out)»",
        "out, task = pl.submit(self.scale, x, out)",
        tasks,
        fix="sometimes",
    ),
    rule(
        "submit-arity",
        "Results of a submit",
        "As many names as the kernel has results, then the task id.",
        "«(a, b), task» = pl.submit(self.scale, x, out)",
        "out, task = pl.submit(self.scale, x, out)",
        tasks,
    ),
    rule(
        "deps-form",
        "Form of deps",
        "deps lists task ids, elements of task-id arrays, and None.",
        "out, task = pl.submit(self.scale, x, out, deps=[«x»])",
        "done, first = pl.submit(self.scale, x, out)\nout, task = pl.submit(self.scale, x, done, deps=[first])",
        tasks,
    ),
    rule(
        "deps-comprehension",
        "Comprehension in deps",
        "A comprehension in deps is expanded while compiling: one loop over integers that are known then.",
        "ids = pl.array.create(4, pl.TASK_ID)\nout, task = pl.submit(self.scale, x, out, deps=[ids[i] for i in «pl.range(4)»])",
        "ids = pl.array.create(4, pl.TASK_ID)\nout, task = pl.submit(self.scale, x, out, deps=[ids[i] for i in range(4)])",
        tasks,
        fix="safe",
    ),
    rule(
        "dumps-form",
        "Form of dumps",
        "dumps lists tensors that are arguments of the submit.",
        "out, task = pl.submit(self.scale, x, out, dumps=[«flags»])",
        "out, task = pl.submit(self.scale, x, out, dumps=[x])",
        tasks,
    ),
    rule(
        "early-resolve-literal",
        "allow_early_resolve is written True or False",
        "The flag is read while compiling.",
        "out, task = pl.submit(self.scale, x, out, allow_early_resolve=«1»)",
        "out, task = pl.submit(self.scale, x, out, allow_early_resolve=True)",
        tasks,
    ),
    rule(
        "predicate-form",
        "Form of a predicate",
        "A predicate compares one element of an integer tensor with an integer literal.",
        "out, task = pl.submit(self.scale, x, out, predicate=«flags[0]»)",
        "out, task = pl.submit(self.scale, x, out, predicate=flags[0] > 0)",
        tasks,
    ),
    rule(
        "predicate-operand",
        "Operand of a predicate",
        "The tensor of a predicate holds signed integers of 8 to 64 bits.",
        "out, task = pl.submit(self.scale, x, out, predicate=«pl.cast(x[0, 0], pl.INT32)» > 0)",
        "out, task = pl.submit(self.scale, x, out, predicate=flags[0] > 0)",
        tasks,
    ),
    rule(
        "predicate-producer-deps",
        "Predicate on a task's output",
        "A predicate that reads what another task writes must wait for that task.",
        f"""
        @pl.program
        class Example:
            @pl.function(type=pl.FunctionType.InCore)
            def mark(self, flags: pl.InOut[pl.Tensor[[4], pl.INT32]]) -> pl.Tensor[[4], pl.INT32]:
                return flags

            @pl.function(type=pl.FunctionType.InCore)
            def copy(self, x: {_T}) -> {_T}:
                return x

            @pl.function(type=pl.FunctionType.Orchestration)
            def main(self, x: {_T}, flags: pl.InOut[pl.Tensor[[4], pl.INT32]]) -> {_T}:
                ready, first = pl.submit(self.mark, flags)
                y, second = pl.submit(self.copy, x, predicate=«ready[0] > 0»)
                return y
        """,
        f"""
        @pl.program
        class Example:
            @pl.function(type=pl.FunctionType.InCore)
            def mark(self, flags: pl.InOut[pl.Tensor[[4], pl.INT32]]) -> pl.Tensor[[4], pl.INT32]:
                return flags

            @pl.function(type=pl.FunctionType.InCore)
            def copy(self, x: {_T}) -> {_T}:
                return x

            @pl.function(type=pl.FunctionType.Orchestration)
            def main(self, x: {_T}, flags: pl.InOut[pl.Tensor[[4], pl.INT32]]) -> {_T}:
                ready, first = pl.submit(self.mark, flags)
                y, second = pl.submit(self.copy, x, deps=[first], predicate=ready[0] > 0)
                return y
        """,
        whole,
        fix="safe",
    ),
    rule(
        "spmd-submit-core-num",
        "pl.spmd_submit needs the number of cores",
        "core_num= says on how many cores the kernel runs.",
        "out, task = «pl.spmd_submit(self.scale, x, out)»",
        "out, task = pl.spmd_submit(self.scale, x, out, core_num=8)",
        tasks,
        fix="review",
    ),
    rule(
        "window-buffer",
        "Allocation of a window buffer",
        "A window buffer is allocated in a HOST function, outside core scopes, and assigned to one name that is unique in the program.",
        f"""
        import pypto.language.distributed as pld


        @pl.function(type=pl.FunctionType.InCore)
        def kernel(x: {_T}):
            buf = «pld.alloc_window_buffer(1024)»
        """,
        f"""
        import pypto.language.distributed as pld


        @pl.function(level=pl.Level.HOST, role=pl.Role.Orchestrator)
        def host(x: {_T}):
            buf = pld.alloc_window_buffer(1024)
        """,
        whole,
        fix="safe",
    ),
    rule(
        "world-size-context",
        "pld.world_size belongs to the host",
        "The number of devices is known in HOST functions, outside core scopes.",
        f"""
        import pypto.language.distributed as pld


        @pl.function(type=pl.FunctionType.InCore)
        def kernel(x: {_T}):
            n = «pld.world_size()»
        """,
        f"""
        import pypto.language.distributed as pld


        @pl.function(level=pl.Level.HOST, role=pl.Role.Orchestrator)
        def host(x: {_T}):
            n = pld.world_size()
        """,
        whole,
    ),
    rule(
        "static-assert-form",
        "Form of static_assert",
        "pl.static_assert takes a condition and, optionally, a message that is a string literal.",
        "pl.static_assert(N == 64, «N»)",
        'pl.static_assert(N == 64, "N must be 64")',
    ),
    rule(
        "static-assert-failed",
        "A compile-time assertion fails",
        "The condition is false for the values that the kernel is compiled with.",
        "«pl.static_assert(N == 32)»",
        "pl.static_assert(N == 64)",
    ),
    rule(
        "static-assert-dynamic",
        "A compile-time assertion on a run-time value",
        "The condition must be decided while compiling.",
        "pl.static_assert(«n > 0»)",
        "pl.static_assert(N > 0)",
    ),
    rule(
        "static-print-form",
        "Form of static_print",
        "pl.static_print takes values and f-strings without conversion or format.",
        'pl.static_print(«f"{n:>4}"»)',
        'pl.static_print(f"{n}")',
    ),
    rule(
        "dump-tag-form",
        "Form of dump_tag",
        "pl.dump_tag marks a tensor, given by its name, in an Orchestration or Inline function.",
        "pl.dump_tag(«pl.exp(x)»)",
        "pl.dump_tag(x)",
        tasks,
    ),
)
