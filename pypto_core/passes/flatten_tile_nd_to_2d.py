"""FlattenTileNdTo2D: tiles of more than two dimensions become row bands (``docs/spec/passes_tile.md`` §2)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod
from typing import Any

from pypto_core.analysis.statements import block, trailing_yield
from pypto_core.backend import Backend, get_backend
from pypto_core.ir import (
    AssignStmt,
    Call,
    ConstInt,
    EvalStmt,
    Expr,
    ForStmt,
    Function,
    IfStmt,
    MakeTuple,
    MemorySpace,
    Stmt,
    TensorType,
    TileLayout,
    TileType,
    Var,
    WhileStmt,
    body_stmts,
    calls_in,
    const_dims,
    effective_tile_view,
    substitute,
    walk_stmts,
)
from pypto_core.ir.deep import goes_deep
from pypto_core.passes.base import Pass, PassContract, map_functions
from pypto_core.passes.flatten_2d.batch_matmul import BatchLowering, view_2d
from pypto_core.passes.flatten_2d.facts import Facts
from pypto_core.passes.flatten_2d.preconditions import check_flattenable
from pypto_core.passes.stmt_parts import map_bodies, substitute_header
from pypto_core.passes.tile_calls import (
    define,
    keep_memref,
    new_call,
    rebuild_call,
    reject,
    retyped,
    tuple_of,
)
from pypto_core.passes.tile_shapes import collapses_contiguously, folded_offsets, merged_extents

CONTRACT = PassContract.of(
    "SSAForm IncoreTileOps NormalizedStmtStructure",
    "SSAForm TileOps2D NormalizedStmtStructure",
    function_local=True,
)

Env = dict[Var, Expr]


def flatten_tile_nd_to_2d(*, backend: str | Backend | None = None) -> Pass:
    """The pass; the chip's Mat capacity decides how batched operands are loaded."""
    chip = get_backend(backend)
    return Pass(
        "FlattenTileNdTo2D",
        CONTRACT,
        lambda program: map_functions(program, lambda f: flatten_function(f, chip)),
    )


def flatten_function(function: Function, chip: Backend | None) -> Function:
    """``function`` with tiles of at most two dimensions (loads and reshapes of the author excepted).

    Raises:
        PassError: ``tile-rank`` for what has no two-dimensional form.
    """
    if not function.func_type.is_incore:
        return function
    if not check_flattenable(function.body) and not _touches_anything(function.body):
        return function
    return function.with_(body=_Flattener(Facts(function.body, chip)).body(function.body, {}))


_TOUCHED = frozenset({"tile.transpose", "tile.batch_matmul", "tile.batch_matmul_acc"})


def _touches_anything(body: Stmt) -> bool:
    """Whether a two-dimensional kernel has something to rewrite: a transpose without scratch, a store of higher rank."""
    return _has_commented_load(body) or any(
        call.op.name in _TOUCHED or (call.op.name == "tile.store" and _rank(call.args[2]) > 2)
        for call in calls_in(body)
        if isinstance(call, Call)
    )


def _has_commented_load(body: Stmt) -> bool:
    return any(
        stmt.leading_comments
        and isinstance(stmt, AssignStmt)
        and isinstance(stmt.value, Call)
        and stmt.value.name == "tile.load"
        for stmt in walk_stmts(body)
    )


def _without_comments(stmt: AssignStmt) -> AssignStmt:
    return stmt.with_(leading_comments=()) if stmt.leading_comments else stmt


def _rank(expr: Expr) -> int:
    kind = expr.type
    return kind.rank if isinstance(kind, (TensorType, TileType)) else 0


class _Flattener:
    def __init__(self, facts: Facts) -> None:
        self._facts = facts
        self._handlers: dict[str, Callable[[Call, Call, Var | None, list[Stmt]], Call]] = {
            "tile.load": self._load,
            "tile.store": self._store,
            "tile.create": self._constant_shape,
            "tile.full": self._constant_shape,
            "tile.assemble": self._assemble,
            "tile.transpose": self._transpose,
        }

    def body(self, body: Stmt, env: Env) -> Stmt:
        out: list[Stmt] = []
        stmts = body_stmts(body)
        position = 0
        while position < len(stmts):
            following = stmts[position + 1] if position + 1 < len(stmts) else None
            position += 1 + self._stmt(stmts[position], following, env, out)
        return block(out, body)

    def _stmt(self, stmt: Stmt, following: Stmt | None, env: Env, out: list[Stmt]) -> int:
        """Rewrite one statement; returns how many of the following ones it consumed."""
        if isinstance(stmt, AssignStmt):
            return self._assign(stmt, following, env, out)
        if isinstance(stmt, EvalStmt):
            call = stmt.expr
            new = self._call(call, None, env, out) if isinstance(call, Call) else substitute(call, env)
            out.append(stmt.with_(expr=new))
        elif isinstance(stmt, IfStmt):
            out.append(self._if(stmt, env))
        elif isinstance(stmt, (ForStmt, WhileStmt)):
            out.append(self._loop(stmt, env))
        else:
            out.append(map_bodies(substitute_header(stmt, env), lambda inner: self.body(inner, env)))
        return 0

    # -- control flow ----------------------------------------------------------------------------------------------
    @goes_deep
    def _if(self, stmt: IfStmt, env: Env) -> Stmt:
        new = map_bodies(substitute_header(stmt, env), lambda inner: self.body(inner, dict(env)))
        assert isinstance(new, IfStmt)
        yields = [trailing_yield(b) for b in (new.then_body, new.else_body) if b is not None]
        return_vars = []
        for position, var in enumerate(stmt.return_vars):
            value = next(
                (y.values[position] for y in yields if y is not None and position < len(y.values)), None
            )
            return_vars.append(self._retype(var, var.type if value is None else value.type, env))
        return new.with_(return_vars=_same_or(stmt.return_vars, return_vars))

    def _loop(self, stmt: ForStmt | WhileStmt, env: Env) -> Stmt:
        new = substitute_header(stmt, env)
        inner = dict(env)
        iter_args = []
        for arg in stmt.iter_args:
            init = substitute(arg.init_value, env)
            changed = arg.with_(init_value=init)
            if isinstance(init.type, TileType):
                changed = changed.with_(type=init.type) if retyped(arg, init.type) is not arg else changed
            if changed is not arg:
                inner[arg] = changed
            iter_args.append(changed)
        if isinstance(new, WhileStmt):
            new = new.with_(condition=substitute(new.condition, inner))
        if isinstance(new, (ForStmt, WhileStmt)):
            new = new.with_(iter_args=_same_or(stmt.iter_args, iter_args))
        new = map_bodies(new, lambda body: self.body(body, inner))
        return_vars = [
            self._retype(var, arg.type if isinstance(arg.type, TileType) else var.type, env)
            for var, arg in zip(stmt.return_vars, iter_args, strict=True)
        ]
        return new.with_(return_vars=_same_or(stmt.return_vars, return_vars))

    def _retype(self, var: Var, kind: Any, env: Env) -> Var:
        new = retyped(var, kind)
        if new is not var:
            env[var] = new
        return new

    # -- assignments -----------------------------------------------------------------------------------------------
    def _assign(self, stmt: AssignStmt, following: Stmt | None, env: Env, out: list[Stmt]) -> int:
        if stmt in self._facts.dead:
            return 0
        call = stmt.value
        if not isinstance(call, Call):
            value = substitute(call, env)
            kind = value.type if isinstance(value.type, TileType) else stmt.var.type
            out.append(stmt.with_(value=value, var=self._retype(stmt.var, kind, env)))
            return 0
        if stmt in self._facts.products:
            return self._product(stmt, call, following, env, out)
        if call.name == "tile.reshape" and self._is_dropped_reshape(stmt.var, call):
            env[stmt.var] = substitute(call.args[0], env)
            return 0
        if call.name == "tile.transpose" and _rank(call.args[0]) > 2:
            env[stmt.var] = self._transpose_pages(stmt, call, env, out)
            return 0
        new = self._call(call, stmt.var, env, out)
        kind = stmt.var.type
        if new is not call and isinstance(new.type, TileType):
            kind = keep_memref(new.type, kind)
        rewritten = stmt.with_(value=new, var=self._retype(stmt.var, kind, env))
        if call.name == "tile.load" or (new is not call and call.name.startswith("tile.")):
            # The compiler makes these statements anew (loads even where nothing changes), and comments stay behind.
            rewritten = _without_comments(rewritten)
        out.append(rewritten)
        return 0

    def _is_dropped_reshape(self, var: Var, call: Call) -> bool:
        return self._facts.is_batch_reshape(call) and self._facts.feeds_only_batch_matmul(var)

    def _product(
        self, stmt: AssignStmt, call: Call, following: Stmt | None, env: Env, out: list[Stmt]
    ) -> int:
        product = self._facts.products[stmt]
        lowering = BatchLowering(product, call, lambda e: substitute(e, env), out)
        if call.name == "tile.batch_matmul_acc":
            acc = substitute(call.args[0], env)
            kind = acc.type
            if not isinstance(acc, Var) or not isinstance(kind, TileType) or kind.rank != 2:
                reject(
                    "compiler-internal",
                    "tile.batch_matmul_acc needs an accumulator variable that flattens to two dimensions",
                    call.span,
                )
            env[stmt.var] = lowering.into_accumulator(acc, [substitute(arg, env) for arg in call.args[3:]])
            return 0
        store = _store_of(stmt.var, following)
        if store is not None and len(self._facts.reads.of(stmt.var)) == 1:
            store_stmt, store_call = store
            tensor = substitute(store_call.args[2], env)
            env[store_stmt.var] = lowering.into_store(stmt.var, store_stmt, store_call, tensor)
            return 1
        env[stmt.var] = lowering.into_tile(stmt.var)
        return 0

    # -- calls -----------------------------------------------------------------------------------------------------
    def _call(self, call: Call, var: Var | None, env: Env, out: list[Stmt]) -> Call:
        new: Call = substitute(call, env)
        handler = self._handlers.get(call.name)
        if handler is not None:
            return handler(call, new, var, out)
        if call.name.startswith("tile.") and new.args is not call.args:
            return rebuild_call(call.with_(attrs=new.attrs), new.args)
        return new

    def _load(self, call: Call, new: Call, var: Var | None, out: list[Stmt]) -> Call:
        kind = call.type
        if not isinstance(kind, TileType) or kind.rank <= 2:
            return rebuild_call(call, new.args).with_(attrs=new.attrs)
        forced = var is not None and self._facts.feeds_only_batch_matmul(var)
        space = MemorySpace.Mat if forced else kind.memory_space
        flat = _flat_type(kind, space)
        kwargs = dict(call.kwargs)
        if forced and kwargs.get("target_memory") is not MemorySpace.Mat:
            kwargs["target_memory"] = MemorySpace.Mat
        source, offsets, shapes, valid = new.args
        view = effective_tile_view(flat)
        nz = view.blayout is TileLayout.col_major and view.slayout is TileLayout.row_major
        if space is MemorySpace.Mat and nz:
            source_type = source.type
            assert isinstance(source_type, TensorType)
            assert (
                isinstance(offsets, MakeTuple)
                and isinstance(shapes, MakeTuple)
                and isinstance(valid, MakeTuple)
            )
            if not collapses_contiguously(shapes.elements, source_type.shape):
                reject(
                    "compiler-internal",
                    "a matrix load of more than two dimensions must cover whole rows of the tensor behind its first partial axis",
                    call.span,
                )
            name = "load" if var is None else var.name_hint
            band = view_2d(f"{name}_view2d", source, call.span)
            out.append(band)
            args: tuple[Expr, ...] = (
                band.var,
                tuple_of(*folded_offsets(offsets.elements, source_type.shape)),
                tuple_of(*merged_extents(shapes.elements)),
                tuple_of(*merged_extents(valid.elements)),
            )
        else:
            args = new.args
        return call.with_(args=args, kwargs=kwargs, attrs=new.attrs, type=flat)

    def _store(self, call: Call, new: Call, var: Var | None, out: list[Stmt]) -> Call:
        tile, offsets, tensor, *shapes = new.args
        original = call.args[0].type
        kind = tile.type
        if not isinstance(kind, TileType) or not isinstance(original, TileType):
            return new
        if kind.rank > 2:
            flat = define(
                "flat_tile",
                new_call("tile.reshape", tile, tuple_of(*merged_extents(kind.shape)), span=call.span),
            )
            out.append(flat)
            tile = flat.var
        rank = _rank(tensor)
        if rank > 2 and not shapes:
            shapes = [tuple_of(*(1,) * (rank - original.rank), *original.shape)]
        args = (tile, offsets, tensor, *shapes)
        if len(args) == len(call.args) and all(a is b for a, b in zip(args, call.args)):
            return new
        return rebuild_call(call.with_(attrs=new.attrs), args)

    def _constant_shape(self, call: Call, new: Call, var: Var | None, out: list[Stmt]) -> Call:
        shape = new.args[0]
        if not isinstance(shape, MakeTuple) or len(shape.elements) <= 2:
            return new
        return rebuild_call(call, (tuple_of(*merged_extents(shape.elements)), *new.args[1:]))

    def _assemble(self, call: Call, new: Call, var: Var | None, out: list[Stmt]) -> Call:
        target = call.args[0].type
        args = new.args
        if (
            isinstance(target, TileType)
            and target.rank > 2
            and len(args) == 3
            and isinstance(args[2], MakeTuple)
        ):
            args = (args[0], args[1], tuple_of(*folded_offsets(args[2].elements, target.shape)))
        return rebuild_call(call.with_(attrs=new.attrs), args) if args is not call.args else new

    # -- transposes ------------------------------------------------------------------------------------------------
    def _transpose(self, call: Call, new: Call, var: Var | None, out: list[Stmt]) -> Call:
        kind = new.args[0].type
        if len(new.args) != 3 or not isinstance(kind, TileType):
            return rebuild_call(call, new.args)
        scratch = self._create("transpose_tmp", kind, kind.shape, call, out)
        return rebuild_call(call, (*new.args, scratch))

    def _create(
        self, name: str, like: TileType, shape: Sequence[int | Expr], call: Call, out: list[Stmt]
    ) -> Var:
        space = MemorySpace.Vec if like.memory_space is None else like.memory_space
        stmt = define(
            name,
            new_call(
                "tile.create",
                tuple_of(*shape),
                span=call.span,
                kwargs={"dtype": like.dtype, "target_memory": space},
            ),
        )
        out.append(stmt)
        return stmt.var

    def _transpose_pages(self, stmt: AssignStmt, call: Call, env: Env, out: list[Stmt]) -> Var:
        kind = call.args[0].type
        assert isinstance(kind, TileType)
        rank = kind.rank
        axes = {a.value % rank for a in call.args[1:3] if isinstance(a, ConstInt)}
        if axes != {rank - 2, rank - 1}:
            reject(
                "tile-rank",
                "FlattenTileNdTo2D: only last-two-axes tile.transpose on >2D tiles is supported; swap the last two axes, "
                "or reshape the tile to two dimensions first",
                call.span,
                op=call.name,
            )
        extents = const_dims(kind.shape)
        assert extents is not None
        pages, rows, cols = prod(extents[:-2]), extents[-2], extents[-1]
        source: Expr = substitute(call.args[0], env)

        def emit(name: str, op: str, *args: Expr) -> Var:
            made = define(name, new_call(op, *args, span=call.span))
            out.append(made)
            return made.var

        flat = source.type
        assert isinstance(flat, TileType)
        if flat.rank > 2:
            source = emit("trans_in_2d", "tile.reshape", source, tuple_of(pages * rows, cols))
            flat = source.type
            assert isinstance(flat, TileType)
        result = self._create(stmt.var.name_hint, flat, (pages * cols, rows), call, out)
        pool = self._create("trans_tmp_pool", flat, (pages * rows, cols), call, out)
        axis_0, axis_1 = ConstInt(0), ConstInt(1)
        for page in range(pages):
            window, at = tuple_of(rows, cols), tuple_of(page * rows, 0)
            part = emit(f"trans_page_{page}", "tile.slice", source, window, at)
            scratch = emit(f"trans_tmp_{page}", "tile.slice", pool, window, at)
            turned = emit(f"trans_{page}", "tile.transpose", part, axis_0, axis_1, scratch)
            result = emit(stmt.var.name_hint, "tile.assemble", result, turned, tuple_of(page * cols, 0))
        return result


def _flat_type(kind: TileType, space: MemorySpace | None) -> TileType:
    view = kind.tile_view
    if view is not None and len(view.valid_shape) == kind.rank:
        view = view.with_(valid_shape=merged_extents(view.valid_shape))
    return TileType(merged_extents(kind.shape), kind.dtype, kind.memref, view, space)


def _store_of(result: Var, following: Stmt | None) -> tuple[AssignStmt, Call] | None:
    """The store of ``result`` that directly follows, if there is one."""
    if not isinstance(following, AssignStmt):
        return None
    call = following.value
    if isinstance(call, Call) and call.name == "tile.store" and call.args[0] is result:
        return following, call
    return None


def _same_or(old: tuple[Any, ...], new: list[Any]) -> tuple[Any, ...]:
    return old if all(a is b for a, b in zip(old, new, strict=True)) else tuple(new)
