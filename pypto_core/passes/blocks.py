"""Statement blocks: canonical form, trailing yields, comments that move (docs/spec/passes_front.md §0.2)."""

from __future__ import annotations

from pypto_core import ir

#: Scopes that end where the loop or branch around them ends: its trailing yield may stand inside.
TRANSPARENT_SCOPES = (ir.RuntimeScopeStmt, ir.SplitAivScopeStmt)


class _Flatten(ir.Rewriter):
    def rewrite_Expr(self, expr: ir.Expr) -> ir.Expr:
        return expr

    def rewrite_IterArg(self, var: ir.IterArg) -> ir.Expr:
        return var

    def rewrite_SeqStmts(self, block: ir.SeqStmts) -> ir.Stmt:
        new = ir.map_tuple(block.stmts, self.rewrite)
        if len(new) != 1 and new is block.stmts and not any(isinstance(s, ir.SeqStmts) for s in new):
            return block
        return ir.SeqStmts.flatten(new, block.span)


def flatten_blocks(body: ir.Stmt) -> ir.Stmt:
    """``body`` with nested blocks spliced and blocks of one statement unwrapped, at every depth."""
    flat: ir.Stmt = _Flatten().rewrite(body)
    return flat


def without_yield(body: ir.Stmt) -> tuple[ir.Stmt, tuple[ir.Expr, ...]]:
    """A body without its trailing yield, and the values of that; looked for inside a last transparent scope too."""
    stmts = ir.body_stmts(body)
    last = stmts[-1] if stmts else None
    if isinstance(last, ir.YieldStmt):
        return ir.SeqStmts.flatten(stmts[:-1], body.span), last.values
    if isinstance(last, TRANSPARENT_SCOPES):
        inner, values = without_yield(last.body)
        return ir.SeqStmts.flatten((*stmts[:-1], last.with_(body=inner)), body.span), values
    return body, ()


def with_comments(stmt: ir.Stmt, comments: tuple[str, ...]) -> ir.Stmt:
    """``stmt`` with the comments of the statement it replaces in front."""
    stmts = ir.body_stmts(stmt)
    if not comments or not stmts:
        return stmt
    first = stmts[0].with_(leading_comments=(*comments, *stmts[0].leading_comments))
    return ir.SeqStmts.flatten((first, *stmts[1:]), stmt.span)
