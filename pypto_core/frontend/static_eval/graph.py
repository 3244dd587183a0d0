"""One module graph per root file (docs/spec/static-eval.md §3) and the process around it (§6)."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

# The handlers register themselves on import.
from pypto_core.frontend.modules import ModuleFile, ModuleResolver, NoModules
from pypto_core.frontend.recovery import ClassSyntax, FileSyntax, FunctionSyntax, Statement
from pypto_core.frontend.shape import changed_items, is_set_apart
from pypto_core.frontend.static_eval import compound, library  # noqa: F401
from pypto_core.frontend.static_eval.control import Journals, stored_names
from pypto_core.frontend.static_eval.costly import CostlyStatements, Run, give_up
from pypto_core.frontend.static_eval.display import show_data
from pypto_core.frontend.static_eval.interpreter import Interpreter
from pypto_core.frontend.static_eval.limits import ENTRY, Budget, CannotEvaluate, LimitReached, Limits
from pypto_core.frontend.static_eval.payloads import PYTHON_ERRORS, hashable
from pypto_core.frontend.static_eval.pl_symbols import PYPTO_MODULES
from pypto_core.frontend.static_eval.scopes import Binding, Clock, ModuleEnvironment
from pypto_core.frontend.static_eval.statements import define_class, define_function
from pypto_core.frontend.static_eval.values import (
    NO_ASSUMPTIONS,
    BuiltinFunction,
    DictData,
    External,
    KernelFunction,
    LibraryName,
    ListData,
    ProgramClass,
    SetData,
    Unknown,
    Value,
    VersionInfo,
    unknown,
)
from pypto_core.ir import DataType


@dataclass(frozen=True, slots=True)
class ProcessSettings:
    """The process that the user's program would run in (§6). ``argv`` None: the path of the root alone."""

    environment: Mapping[str, str] = field(default_factory=dict)
    argv: Sequence[str] | None = None
    platform: str = "linux"
    version: tuple[int, int, int] = (3, 10, 0)


DEFAULT_PROCESS = ProcessSettings()
_ENVIRON = LibraryName("os.environ")


class ModuleGraph:
    """Evaluates a root file and everything it imports, each module once. Nothing is shared between graphs."""

    def __init__(
        self,
        root: ModuleFile,
        resolver: ModuleResolver | None = None,
        *,
        known: Mapping[str, Any] | None = None,
        process: ProcessSettings = DEFAULT_PROCESS,
        limits: Limits | None = None,
        checkpoint: Callable[[], None] | None = None,
        costly: CostlyStatements | None = None,
    ) -> None:
        """``checkpoint`` is called every few milliseconds and may raise to cancel; ``costly`` remembers over evaluations."""
        self.costly = costly
        self.root_file = root
        self.resolver: ModuleResolver = resolver if resolver is not None else NoModules()
        self.process = process
        self.modules: dict[str, ModuleEnvironment] = {}
        self.files: dict[str, ModuleFile] = {}
        self.clock = Clock()
        self.interpreter = Interpreter(self, Budget(limits or Limits(), checkpoint), self.clock)
        self.environ = DictData({k: (Value(k), Value(v)) for k, v in process.environment.items()})
        self._argv: ListData | None = None
        self._edited: list[KernelFunction | ProgramClass] = []
        self._by_syntax: dict[int, list[KernelFunction | ProgramClass]] | None = None
        self._namespaces: set[str] = set()  # packages of which only modules are found
        self.root = self._environment(root, is_root=True)
        for name, given in (known or {}).items():
            self.root.bind(name, Binding(given if isinstance(given, Value) else from_python(given), None))
        self._evaluate(self.root, root)

    # -- modules -------------------------------------------------------------------------------------------------------

    @property
    def kernels(self) -> list[KernelFunction | ProgramClass]:
        """Kernels and programs made while the graph was evaluated, each definition once per captured scope."""
        unique: dict[tuple[int, int], KernelFunction | ProgramClass] = {}
        for kernel in self.interpreter.kernels:
            unique[id(kernel.syntax.node), id(kernel.scope)] = kernel
        return list(unique.values())

    def evaluated_bodies(self) -> set[str]:
        """Files with a definition that looks like a kernel and did not become one: more than the shape of the file was evaluated."""
        made = {id(kernel.syntax) for kernel in self.interpreter.kernels}
        return {
            module.filename
            for module in self.modules.values()
            for item in (module.syntax.items if module.syntax is not None else ())
            if is_set_apart(item) and id(item) not in made
        }

    def follow(self, syntax_of: Callable[[str], FileSyntax]) -> None:
        """Take over new bodies of kernels; the files have the same shape as when they were evaluated (``shape.same_shape``)."""
        replaced: dict[int, FunctionSyntax | ClassSyntax | Statement] = {}
        for module in self.modules.values():
            old = module.syntax
            new = syntax_of(module.filename) if old is not None and old.items else old
            if new is None or new is old or old is None:
                continue
            replaced.update((id(a), b) for a, b in changed_items(old, new))
            module.syntax = new
            self.files[module.filename].replace_syntax(new)
        if replaced and self._by_syntax is None:
            self._by_syntax = {}
            for kernel in self.interpreter.kernels:
                self._by_syntax.setdefault(id(kernel.syntax), []).append(kernel)
        known = self._by_syntax or {}
        for old_id, body in replaced.items():
            kernels = known.pop(old_id, [])
            for kernel in kernels:
                assert body.__class__ is kernel.syntax.__class__
                kernel.syntax = body
            known[id(body)] = kernels
            self._edited += kernels

    def take_edited(self) -> list[KernelFunction | ProgramClass]:
        """Kernels whose body has changed since the last call."""
        edited, self._edited = self._edited, []
        return edited

    def _environment(self, file: ModuleFile, *, is_root: bool = False) -> ModuleEnvironment:
        module = ModuleEnvironment(
            file.name, file.filename, self.clock, is_package=file.is_package, is_root=is_root
        )
        module.syntax = file.syntax
        self.modules[file.filename] = module
        self.files[file.filename] = file
        return module

    def _evaluate(self, module: ModuleEnvironment, file: ModuleFile) -> None:
        """Run a module from top to bottom; an importer in the middle of a branch does not see its changes taken back."""
        it = self.interpreter
        saved = (it.source, it.taint, it.reads, it.journals, it.depth)
        it.journals, it.taint = Journals(it.budget), NO_ASSUMPTIONS
        module.bind("__name__", Binding(Value(file.name), None))
        module.bind("__file__", Binding(Value(file.filename), None))
        module.bind("__doc__", Binding(Value(None), None))
        try:
            for item in file.syntax.items:
                self._item(it, module, item)
        finally:
            it.source, it.taint, it.reads, it.journals, it.depth = saved
            module.evaluated = True

    def _item(
        self, it: Interpreter, module: ModuleEnvironment, item: FunctionSyntax | ClassSyntax | Statement
    ) -> None:
        """One top-level statement; a limit costs what it stores and nothing else."""
        it.source, it.taint, it.reads = item.source, NO_ASSUMPTIONS, set()
        outer = it.budget.begin_statement()
        if self.costly is None or it.depth:
            self._run(it, module, item)
        elif not self.costly.recall(it, module, item):
            self.costly.run(it, module, item, lambda: self._run(it, module, item))
        it.budget.end_statement(outer)

    def _run(
        self, it: Interpreter, module: ModuleEnvironment, item: FunctionSyntax | ClassSyntax | Statement
    ) -> Run:
        journal = it.journals.begin()
        try:
            if isinstance(item, FunctionSyntax):
                define_function(it, item.node, module.scope, item)
            elif isinstance(item, ClassSyntax):
                define_class(it, item.node, module.scope, class_members(item), item)
            else:
                it.execute([item.node], module.scope)
        except (LimitReached, CannotEvaluate, *PYTHON_ERRORS) as limit:
            nested = isinstance(limit, RecursionError)
            reason = "too deeply nested" if nested else getattr(limit, "reason", str(limit))
            it.doubt += 1
            it.journals = Journals(it.budget)
            changed = list(journal.before.values())
            names = [key for owner, key, _ in changed if owner is module.scope and key is not None]
            names = list(dict.fromkeys([*names, *stored_names([item.node])]))
            give_up(module, names, reason)
            for owner, key, _ in changed:
                if owner is not module.scope:
                    it.journals.lose(owner, key, Unknown(reason))
            return Run(journal, reason, tuple(names))
        it.journals.end()
        return Run(journal)

    def import_module(self, it: Interpreter, name: str, level: int, importer: ModuleEnvironment) -> Value:
        """Module of an import statement; External when it is neither modelled nor found."""
        it.imports += 1
        if level == 0:
            symbol = PYPTO_MODULES.get(name)
            if symbol is not None:
                return Value(symbol)
            modelled = library.find_module(name)
            if modelled is not None:
                return modelled
            if name.split(".")[0] == "pypto":
                return Value(External(name))
        file = self._find(name, level, self.files[importer.filename])
        if file is not None:
            parts = name.split(".")
            self._namespaces.update(".".join(parts[:i]) for i in range(1, len(parts) if level == 0 else 0))
        elif level == 0:
            file = self._namespace(name)
        if file is None:
            return Value(External("." * level + name))
        return Value(self._module(file))

    def _namespace(self, name: str) -> ModuleFile | None:
        """A package of which only modules are found."""
        if name not in self._namespaces:
            return None
        return ModuleFile(name, name.replace(".", "/") + "/__init__.py", "", True)

    def _find(self, name: str, level: int, importer: ModuleFile) -> ModuleFile | None:
        if level:
            return self.resolver.find_relative(level, name, importer)
        found = self.resolver.find(name, importer, self.root_file)
        if found is None and "." in name:
            package, _, last = name.rpartition(".")
            parent = self._find(package, 0, importer)
            return self.resolver.find_in(parent, last) if parent is not None else None
        return found

    def _module(self, file: ModuleFile) -> ModuleEnvironment:
        """Environment of a file, evaluated at its first import; a cycle sees what is bound so far."""
        found = self.modules.get(file.filename)
        if found is None:
            self._packages(file)
            found = self.modules.get(file.filename)
        if found is None:
            found = self._environment(file)
            self._evaluate(found, file)
        return found

    def _packages(self, file: ModuleFile) -> None:
        """Importing ``a.b`` evaluates the package ``a`` first."""
        package = file.name.rpartition(".")[0]
        if not package:
            return
        parent = self.resolver.find(package, file, self.root_file)
        if parent is not None and parent.filename not in self.modules and parent.is_package:
            self._module(parent)

    def submodule(self, module: ModuleEnvironment, name: str) -> ModuleEnvironment | None:
        """``package.name`` where the package itself has no such attribute."""
        file = self.files.get(module.filename)
        found = self.resolver.find_in(file, name) if file is not None else None
        found = found or self._namespace(f"{module.name}.{name}")
        return self._module(found) if found is not None else None

    def certainly_importable(self, module: str) -> bool:
        """Whether an import that is not resolved is of Python's own library, which is always there."""
        return module.split(".")[0] in sys.stdlib_module_names

    # -- the process ---------------------------------------------------------------------------------------------------

    def process_attribute(self, module: str, name: str) -> Value | None:
        """``os.environ``, ``os.getenv``, ``sys.argv`` and the like; methods of ``os.environ`` itself."""
        if module == "os.environ":
            return self._environ_method(name)
        if module == "os":
            if name == "environ":
                return Value(_ENVIRON)
            if name == "getenv":
                return Value(BuiltinFunction("os.getenv", self._environ_get))
            if name in ("_exit", "abort"):
                return Value(BuiltinFunction(f"os.{name}", _never))
        if module == "sys":
            return self._sys_attribute(name)
        return None

    def _sys_attribute(self, name: str) -> Value | None:
        if name == "argv":
            if self.interpreter.watch is not None:
                self.interpreter.watch.unsteady = True
            if self._argv is None:
                argv = self.process.argv
                note = frozenset(
                    {"command line arguments not given" if argv is None else "command line of the settings"}
                )
                texts = [self.root_file.filename] if argv is None else [self.root_file.filename, *argv]
                self._argv = ListData(Value(t, note) for t in texts)
            return Value(
                self._argv,
                frozenset({"command line arguments not given"})
                if self.process.argv is None
                else NO_ASSUMPTIONS,
            )
        if name == "platform":
            return Value(self.process.platform, frozenset({f"platform {self.process.platform}"}))
        if name == "version_info":
            text = ".".join(map(str, self.process.version))
            parts = VersionInfo(Value(v) for v in self.process.version)
            return Value(parts, frozenset({f"Python {text}"}))
        if name == "exit":
            return Value(BuiltinFunction("sys.exit", _never))
        if name == "path":
            return Value(ListData())
        return None

    def _environ_method(self, name: str) -> Value | None:
        methods = {
            "get": self._environ_get,
            "setdefault": self._environ_set_default,
            "update": self._environ_update,
            "pop": self._environ_get,
        }
        method = methods.get(name)
        return Value(BuiltinFunction(f"os.environ.{name}", method)) if method is not None else None

    def _entry(self, key: Value) -> Value | None:
        if self.interpreter.watch is not None:
            self.interpreter.watch.unsteady = True
        if isinstance(key.data, Unknown):
            raise CannotEvaluate(key.data.reason)
        found = self.environ.items.get(hashable(key))
        if found is None:
            return None
        note = (
            f"environment variable {key.data} of the settings" if key.data in self.process.environment else ""
        )
        return found[1].assuming(frozenset({note})) if note else found[1]

    def _environ_get(self, it: Interpreter, arguments: list[Value], keywords: dict[str, Value]) -> Value:
        key = arguments[0]
        found = self._entry(key)
        if found is not None:
            return found
        default = arguments[1] if len(arguments) > 1 else keywords.get("default", Value(None))
        return default.assuming(frozenset({f"environment variable {_short(key)} not set"}))

    def _environ_set_default(
        self, it: Interpreter, arguments: list[Value], keywords: dict[str, Value]
    ) -> Value:
        key = arguments[0]
        found = self._entry(key)
        if found is None:
            value = arguments[1] if len(arguments) > 1 else Value(None)
            found = value.assuming(frozenset({f"environment variable {_short(key)} not set"}))
            it.change(self.environ)
            it.budget.hold(ENTRY)
            self.environ.items[hashable(key)] = (key, found)
        return found

    def _environ_update(self, it: Interpreter, arguments: list[Value], keywords: dict[str, Value]) -> Value:
        it.change(self.environ)
        if arguments and isinstance(arguments[0].data, DictData):
            self.environ.items.update(arguments[0].data.items)
        self.environ.items.update((k, (Value(k), v)) for k, v in keywords.items())
        return Value(None)

    def environ_item(self, base: Value, index: Value) -> Value | None:
        """``os.environ[k]``; None when ``base`` is not ``os.environ``."""
        if base.data != _ENVIRON:
            return None
        found = self._entry(index)
        if found is None:
            raise CannotEvaluate(f"environment variable {_short(index)} is not set")
        return found

    def environ_contains(self, container: Value, item: Value) -> Value | None:
        if container.data != _ENVIRON:
            return None
        found = self._entry(item)
        if found is not None:
            return Value(True, found.assumed)
        return Value(False, frozenset({f"environment variable {_short(item)} not set"}))

    def store_environ(self, base: Value, index: Value, value: Value) -> bool:
        """``os.environ[k] = v``; False when ``base`` is not ``os.environ``."""
        if base.data != _ENVIRON:
            return False
        if not isinstance(index.data, Unknown):
            self.interpreter.change(self.environ)
            self.interpreter.budget.hold(ENTRY)
            self.environ.items[hashable(index)] = (index, value)
        return True


def _short(name: Value) -> str:
    """The name of an environment variable, as far as it is worth telling."""
    return str(name.data)[:100] if isinstance(name.data, str) else show_data(name.data)


def _never(it: Interpreter, arguments: list[Value], keywords: dict[str, Value]) -> Value:
    raise CannotEvaluate("the program exits here")


def class_members(syntax: ClassSyntax) -> list[FunctionSyntax | Statement]:
    """Members of a class in source order."""
    members: list[FunctionSyntax | Statement] = [*syntax.functions, *syntax.others]
    return sorted(members, key=lambda m: m.source.span(m.node).line)


def from_python(given: Any) -> Value:
    """Value of a Python object that the caller knows; what is not modelled is Unknown."""
    if given is None or isinstance(given, (bool, int, float, str, bytes, range, DataType, Enum)):
        return Value(given)
    if isinstance(given, tuple):
        return Value(tuple(from_python(v) for v in given))
    if isinstance(given, list):
        return Value(ListData(from_python(v) for v in given))
    if isinstance(given, dict):
        try:
            pairs = [(from_python(k), from_python(v)) for k, v in given.items()]
            return Value(DictData({hashable(k): (k, v) for k, v in pairs}))
        except CannotEvaluate as fault:
            return unknown(fault.reason)
    if isinstance(given, (set, frozenset)):
        items = [from_python(v) for v in given]
        return Value(SetData({hashable(v): v for v in items}, isinstance(given, frozenset)))
    return unknown(f"a {type(given).__name__} is not modelled")
