"""Rows of the table of codes: decorators, programs, prologues (docs/spec/language.md §7.1, §7.6)."""

from __future__ import annotations

from pypto_core.diagnostic_rules.frontend_samples import core, method, rule, tasks, tensors, whole
from pypto_core.diagnostics import Rule, Severity

_T = "pl.Tensor[[64, 64], pl.FP32]"

RULES: tuple[Rule, ...] = (
    rule(
        "python-syntax",
        "The text is no Python",
        "A statement does not parse. Only this statement is left out: everything else in the file is still checked.",
        "b = pl.add(a a)",
        "b = pl.add(a, a)",
    ),
    rule(
        "kernel-not-found",
        "A kernel is an ordinary function",
        "The decorator reads the source of a plain 'def'. An 'async def' is no kernel.",
        f"@pl.function\n«async def kernel(self, x: {_T}):»\n    return",
        f"@pl.function\ndef kernel(self, x: {_T}):\n    return",
        method,
        fix="safe",
    ),
    rule(
        "decorator-unknown",
        "A decorator that is almost one of the language",
        "Only functions and classes under a decorator of the language are kernels. With a misspelled one Python stops at the definition, and nothing in it is checked.",
        f"@«pl.funtion»\ndef kernel(x: {_T}):\n    return",
        f"@pl.function\ndef kernel(x: {_T}):\n    return",
        whole,
        fix="review",
    ),
    Rule(
        "language-import",
        "The language is not imported under its name",
        "Kernels are found through the import of pypto.language. With a misspelled module, or without 'as pl', the file has no kernel and nothing is checked.",
        failing=f"import «pypto.langauge as pl»\n\n\n@pl.function\ndef kernel(x: {_T}):\n    return\n",
        repaired=f"import pypto.language as pl\n\n\n@pl.function\ndef kernel(x: {_T}):\n    return\n",
        fix="review",
    ),
    rule(
        "program-empty",
        "A program without functions",
        "A class under @pl.program needs at least one method under @pl.function; other methods are ignored.",
        f"def kernel(self, x: {_T}):\n    return",
        f"@pl.function\ndef kernel(self, x: {_T}):\n    return",
        method,
        fix="review",
    ),
    rule(
        "decorator-kwargs-star",
        "Decorator keywords are written out",
        "The decorator of a method is read as text, so its keywords cannot come from a dictionary.",
        f"@pl.function(«**OPTIONS»)\ndef kernel(self, x: {_T}):\n    return",
        f"@pl.function(auto_scope=False)\ndef kernel(self, x: {_T}):\n    return",
        method,
    ),
    rule(
        "decorator-enum-literal",
        "Unknown enumeration member in a decorator",
        "type, level and role of a function are written as members of pl.FunctionType, pl.Level and pl.Role.",
        f"@pl.function(type=«pl.FunctionType.Incore»)\ndef kernel(self, x: {_T}):\n    return",
        f"@pl.function(type=pl.FunctionType.InCore)\ndef kernel(self, x: {_T}):\n    return",
        method,
        fix="review",
    ),
    rule(
        "decorator-enum-prefix",
        "Wrong enumeration in a decorator",
        "type takes a member of pl.FunctionType, level one of pl.Level and role one of pl.Role.",
        f"@pl.function(type=«pl.Level.AIV»)\ndef kernel(self, x: {_T}):\n    return",
        f"@pl.function(type=pl.FunctionType.AIV)\ndef kernel(self, x: {_T}):\n    return",
        method,
        fix="review",
    ),
    rule(
        "decorator-bool-literal",
        "A flag in a decorator is written True or False",
        "The decorator is read as text, so a flag cannot be computed.",
        f"@pl.function(auto_scope=«1»)\ndef kernel(self, x: {_T}):\n    return",
        f"@pl.function(auto_scope=False)\ndef kernel(self, x: {_T}):\n    return",
        method,
    ),
    rule(
        "attrs-on-decorator",
        "Attributes belong into the function",
        "attrs= on the decorator still works but is deprecated: the first statement pl.func_attr({...}) says the same.",
        f'@pl.function(«attrs={{"slot_num": 4}}»)\ndef kernel(self, x: {_T}):\n    return',
        f'@pl.function\ndef kernel(self, x: {_T}):\n    pl.func_attr({{"slot_num": 4}})\n    return',
        method,
        severity=Severity.WARNING,
        fix="safe",
        deprecated=True,
    ),
    rule(
        "attrs-not-dict",
        "Decorator attributes are a dict literal",
        "attrs= is read as text; it is a dict with string keys.",
        f"@pl.function(attrs=«[4]»)\ndef kernel(self, x: {_T}):\n    return",
        f'@pl.function\ndef kernel(self, x: {_T}):\n    pl.func_attr({{"slot_num": 4}})\n    return',
        method,
    ),
    rule(
        "attrs-key",
        "Attribute keys are strings",
        "A key of attrs= is a string literal.",
        f"@pl.function(attrs={{«4»: 4}})\ndef kernel(self, x: {_T}):\n    return",
        f'@pl.function\ndef kernel(self, x: {_T}):\n    pl.func_attr({{"slot_num": 4}})\n    return',
        method,
    ),
    rule(
        "attrs-star",
        "Decorator attributes are written out",
        "attrs= is read as text, so it cannot unpack another dictionary.",
        f"@pl.function(attrs={{**«OPTIONS»}})\ndef kernel(self, x: {_T}):\n    return",
        f'@pl.function\ndef kernel(self, x: {_T}):\n    pl.func_attr({{"slot_num": 4}})\n    return',
        method,
    ),
    rule(
        "attrs-value",
        "Unsupported attribute value",
        "An attribute of the decorator is a constant or pl.SplitMode.X.",
        f'@pl.function(attrs={{"slot_num": «2 + 2»}})\ndef kernel(self, x: {_T}):\n    return',
        f'@pl.function\ndef kernel(self, x: {_T}):\n    pl.func_attr({{"slot_num": 4}})\n    return',
        method,
    ),
    rule(
        "attrs-ref",
        "An attribute cannot refer to a name",
        "An attribute of the decorator is a constant; names are not looked up.",
        f'@pl.function(attrs={{"slot_num": «SLOTS»}})\ndef kernel(self, x: {_T}):\n    return',
        f'@pl.function\ndef kernel(self, x: {_T}):\n    pl.func_attr({{"slot_num": 4}})\n    return',
        method,
    ),
    rule(
        "attrs-annotation-only",
        "A type as the value of an attribute",
        "pl.Tensor[...], pl.Scalar[...], pl.Out[...] and the like describe parameters and variables; an attribute of the decorator is a "
        "constant.",
        f'@pl.function(attrs={{"shape": «{_T}»}})\ndef kernel(self, x: {_T}):\n    return',
        f'@pl.function\ndef kernel(self, x: {_T}):\n    pl.func_attr({{"rows": 64}})\n    return',
        method,
    ),
    rule(
        "level-mismatch",
        "Level contradicts the type",
        "The type of a function fixes its level; a different explicit level is refused.",
        f"@pl.function(type=pl.FunctionType.InCore, «level=pl.Level.HOST»)\ndef kernel(self, x: {_T}):\n    return",
        f"@pl.function(type=pl.FunctionType.InCore)\ndef kernel(self, x: {_T}):\n    return",
        method,
        fix="safe",
    ),
    rule(
        "role-mismatch",
        "Role contradicts the type",
        "The type of a function fixes its role; a different explicit role is refused.",
        f"@pl.function(type=pl.FunctionType.AIV, «role=pl.Role.Orchestrator»)\ndef kernel(self, x: {_T}):\n    return",
        f"@pl.function(type=pl.FunctionType.AIV)\ndef kernel(self, x: {_T}):\n    return",
        method,
        fix="safe",
    ),
    rule(
        "external-source-type",
        "Only AIC and AIV functions are external",
        "external_source names the C++ of a single-core function.",
        f'@pl.function(type=pl.FunctionType.InCore, external_source=«"k.cpp"»)\ndef kernel(self, x: {_T}):\n    ...',
        f'@pl.function(type=pl.FunctionType.AIV, external_source="k.cpp")\ndef kernel(self, x: {_T}):\n    ...',
        method,
        fix="review",
    ),
    rule(
        "external-body",
        "An external function has no body",
        "The code of an external function is C++; in Python there is only its signature.",
        f'@pl.function(type=pl.FunctionType.AIV, external_source="k.cpp")\ndef kernel(self, x: {_T}):\n    «return»',
        f'@pl.function(type=pl.FunctionType.AIV, external_source="k.cpp")\ndef kernel(self, x: {_T}):\n    ...',
        method,
        fix="review",
    ),
    rule(
        "subworker-self",
        "Plain Python has no self",
        "The body of a HOST SubWorker runs as plain Python and is not part of the program object.",
        f"@pl.function(level=pl.Level.HOST, role=pl.Role.SubWorker)\ndef check(«self», x: {_T}):\n    print(x)",
        f"@pl.function(level=pl.Level.HOST, role=pl.Role.SubWorker)\ndef check(x: {_T}):\n    print(x)",
        method,
        fix="safe",
    ),
    rule(
        "external-name-conflict",
        "Two functions of one name",
        "A function called by its bare name joins the program under that name, so the program cannot have its own.",
        f"""
        @pl.function(type=pl.FunctionType.InCore)
        def scale(x: {_T}) -> {_T}:
            return x


        @pl.program
        class Example:
            @pl.function(type=pl.FunctionType.InCore)
            def scale(self, x: {_T}) -> {_T}:
                return x

            @pl.function(type=pl.FunctionType.Orchestration)
            def main(self, x: {_T}) -> {_T}:
                y = «scale»(x)
                return y
        """,
        f"""
        @pl.function(type=pl.FunctionType.InCore)
        def scale(x: {_T}) -> {_T}:
            return x


        @pl.program
        class Example:
            @pl.function(type=pl.FunctionType.Orchestration)
            def main(self, x: {_T}) -> {_T}:
                y = scale(x)
                return y
        """,
        whole,
    ),
    rule(
        "func-attr-position",
        "Attributes come first",
        "pl.func_attr describes the function, so it stands before every other statement.",
        'b = pl.exp(x)\n«pl.func_attr({"slot_num": 4})»',
        'pl.func_attr({"slot_num": 4})\nb = pl.exp(x)',
        tensors,
        fix="safe",
    ),
    rule(
        "func-attr-form",
        "Form of pl.func_attr",
        "pl.func_attr takes one dict literal with string keys.",
        "«pl.func_attr(slot_num=4)»",
        'pl.func_attr({"slot_num": 4})',
        tensors,
        fix="review",
    ),
    rule(
        "func-attr-duplicate",
        "Attribute given twice",
        "Several pl.func_attr directives are merged, but each key appears once.",
        'pl.func_attr({"slot_num": 4})\npl.func_attr({«"slot_num"»: 2})',
        'pl.func_attr({"slot_num": 4})',
        tensors,
        fix="review",
    ),
    rule(
        "func-attr-reserved",
        "This attribute belongs to the decorator",
        "auto_scope and external_source are keywords of @pl.function.",
        'pl.func_attr({«"auto_scope"»: False})',
        'pl.func_attr({"slot_num": 4})',
        tensors,
        fix="safe",
    ),
    rule(
        "dynvar-name",
        "Name of a dynamic size",
        "pl.dynamic takes the name of the symbol, an identifier in quotes.",
        'M = pl.dynamic(«"64 rows"»)',
        'M = pl.dynamic("M")',
        whole,
    ),
    rule(
        "param-kind-ignored",
        "The compiler ignores this parameter",
        "Only plain positional parameters are read. Default values, keyword-only, positional-only and variadic parameters have no effect.",
        f"@pl.function\ndef kernel(self, x: {_T}, n: pl.Scalar[pl.INDEX] = «4»):\n    return",
        f"@pl.function\ndef kernel(self, x: {_T}, n: pl.Scalar[pl.INDEX]):\n    return",
        method,
        severity=Severity.WARNING,
    ),
    rule(
        "module-alias-not-pl",
        "The language under another name",
        "The compiler recognises its constructs by the names pl and pld. An alias works in the editor only.",
        f"""
        import pypto.language as lang


        @pl.function
        def kernel(x: {_T}) -> {_T}:
            y = «lang.exp»(x)
            return y
        """,
        f"""
        @pl.function
        def kernel(x: {_T}) -> {_T}:
            y = pl.exp(x)
            return y
        """,
        whole,
        severity=Severity.WARNING,
        fix="safe",
    ),
    rule(
        "function-wrapper",
        "The function cannot be built",
        "Something about the function as a whole is refused, for example a second function of the same name.",
        f"@pl.function\ndef kernel(self, x: {_T}):\n    return\n\n@pl.function\ndef kernel(self, y: {_T}):\n    return",
        f"@pl.function\ndef kernel(self, x: {_T}):\n    return\n\n@pl.function\ndef second(self, y: {_T}):\n    return",
        method,
    ),
    rule(
        "external-call",
        "Arguments of a stand-alone function",
        "A function called by its bare name takes its arguments by position, as many as it has parameters.",
        f"""
        @pl.function(type=pl.FunctionType.InCore)
        def scale(x: {_T}) -> {_T}:
            return x


        @pl.function(type=pl.FunctionType.Orchestration)
        def main(x: {_T}) -> {_T}:
            y = «scale(x, x)»
            return y
        """,
        f"""
        @pl.function(type=pl.FunctionType.InCore)
        def scale(x: {_T}) -> {_T}:
            return x


        @pl.function(type=pl.FunctionType.Orchestration)
        def main(x: {_T}) -> {_T}:
            y = scale(x)
            return y
        """,
        whole,
    ),
    rule(
        "inline-arity",
        "Arguments of a template",
        "A @pl.inline template takes its arguments by position, exactly as many as it has parameters.",
        f"""
        @pl.inline
        def twice(t):
            return pl.add(t, t)


        @pl.function
        def kernel(x: {_T}) -> {_T}:
            y = «twice(x, x)»
            return y
        """,
        f"""
        @pl.inline
        def twice(t):
            return pl.add(t, t)


        @pl.function
        def kernel(x: {_T}) -> {_T}:
            y = twice(x)
            return y
        """,
        whole,
    ),
    rule(
        "inline-no-return",
        "A template without a value",
        "A call of a @pl.inline template stands for the value that it returns, so it must return one.",
        f"""
        @pl.inline
        def twice(t):
            u = pl.add(t, t)


        @pl.function
        def kernel(x: {_T}) -> {_T}:
            y = «twice(x)»
            return y
        """,
        f"""
        @pl.inline
        def twice(t):
            return pl.add(t, t)


        @pl.function
        def kernel(x: {_T}) -> {_T}:
            y = twice(x)
            return y
        """,
        whole,
    ),
    rule(
        "kernel-unknown",
        "No such function in the program",
        "self.<name> calls a method of the program that is under @pl.function.",
        "out = «self.scal»(x, out)",
        "out = self.scale(x, out)",
        tasks,
        fix="review",
    ),
    rule(
        "kernel-keyword",
        "Keyword on a kernel call",
        "A kernel takes its arguments by position. Scheduling keywords belong to pl.submit.",
        "out = self.scale(x, «out=out»)",
        "out = self.scale(x, out)",
        tasks,
        fix="review",
    ),
    rule(
        "kernel-arity",
        "Number of arguments of a kernel",
        "A kernel call gives every parameter; only a submit may leave Out parameters to the runtime.",
        "out = «self.scale(x)»",
        "out = self.scale(x, out)",
        tasks,
    ),
    rule(
        "call-attrs",
        "Attributes of a call",
        "attrs={...} on a call is a dict literal with string keys, as printed IR has it.",
        "out = self.scale(x, out, attrs=«4»)",
        'out = self.scale(x, out, attrs={"foo": 4})',
        tasks,
    ),
    rule(
        "call-arg-directions",
        "Argument directions",
        "arg_directions lists one pl.adir.<name> per argument.",
        'out = self.scale(x, out, attrs={"arg_directions": [«pl.adir.inputs», pl.adir.inout]})',
        'out = self.scale(x, out, attrs={"arg_directions": [pl.adir.input, pl.adir.inout]})',
        tasks,
        fix="review",
    ),
    rule(
        "call-dump-vars",
        "Tensors to dump",
        "dump_vars lists tensors that are arguments of the call.",
        'out = self.scale(x, out, attrs=«{"dump_vars": [flags]}»)',
        'out = self.scale(x, out, attrs={"dump_vars": [x]})',
        tasks,
    ),
    rule(
        "op-attrs",
        "Attributes of an operator call",
        "attrs={...} on an operator is a dict literal with string keys, as printed IR has it.",
        "b = pl.exp(a, attrs=«[1]»)",
        'b = pl.exp(a, attrs={"pipeline_membership": "0:1"})',
        core,
    ),
    rule(
        "text-empty",
        "No kernel in the text",
        "Printed IR holds one program: a class under @pl.program.",
        "# pypto.program: Example\nimport pypto.language as pl\n",
        "# pypto.program: Example\nimport pypto.language as pl\n\n@pl.program\nclass Example:\n"
        "    @pl.function\n    def f(self):\n        return\n",
        str,
    ),
    rule(
        "text-multiple",
        "Several programs in printed IR",
        "Printed IR holds one program.",
        "# pypto.program: A\nimport pypto.language as pl\n\n@pl.program\nclass A:\n    @pl.function\n    def f(self):\n"
        "        return\n\n@pl.program\nclass B:\n    @pl.function\n    def f(self):\n        return\n",
        "# pypto.program: A\nimport pypto.language as pl\n\n@pl.program\nclass A:\n    @pl.function\n    def f(self):\n"
        "        return\n",
        str,
    ),
    rule(
        "text-kind",
        "A lone function where a program is expected",
        "The header of printed IR announces a program: a class under @pl.program. A single function is printed without that header.",
        "# pypto.program: Example\nimport pypto.language as pl\n\n@pl.function\ndef «f»():\n    return\n",
        "import pypto.language as pl\n\n@pl.function\ndef f():\n    return\n",
        str,
    ),
)
