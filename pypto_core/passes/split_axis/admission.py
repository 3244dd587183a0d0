"""What becomes of the admission analysis of a split body (docs/spec/passes_split.md §7)."""

from __future__ import annotations

from pypto_core.analysis.lanes import const_value
from pypto_core.analysis.names import written_name
from pypto_core.analysis.split_body import SplitBodyFacts
from pypto_core.diagnostics import Related
from pypto_core.ir import Call, Span, TensorType, TileType
from pypto_core.passes.split_axis.rejections import reject


def _names(ops: list[str]) -> str:
    return ", ".join(f"'{name}'" for name in dict.fromkeys(ops))


def _source_extents(call: Call) -> tuple[int | None, ...]:
    """Constant extents of what a load or slice reads from."""
    source = call.args[0].type if call.args else None
    shape = source.shape if isinstance(source, (TileType, TensorType)) else ()
    return tuple(const_value(e) for e in shape)


def _carry_text(facts: SplitBodyFacts) -> str:
    names = [written_name(m.name, m.loop.span) for m in facts.carry_mismatches]
    return ", ".join(f"'{n}'" for n in dict.fromkeys(names))


def validate_explicit_body(facts: SplitBodyFacts, region: Span) -> None:
    """Refuse an explicit region body that does the same work on both lanes; carries are reported first.

    Raises:
        PassError: ``split-region-carry`` or ``split-region-full-width``.
    """
    if facts.carry_mismatches:
        related = tuple(Related("this loop loses it", m.loop.span) for m in facts.carry_mismatches)
        raise reject(
            "R-REGION-CARRY",
            "split-region-carry",
            f"the loop carry {_carry_text(facts)} starts lane-local but is yielded back without the lane's share; yield a "
            f"lane-local value (derived from pl.aiv_shard or from a read at the lane index)",
            region,
            related,
            names=[m.name for m in facts.carry_mismatches],
        )
    if facts.full_width:
        ops = facts.full_width_ops
        related = tuple(
            Related(f"'{call.name}' runs on the whole tile here", call.span) for call in facts.full_width
        )
        raise reject(
            "R-REGION-FULL",
            "split-region-full-width",
            f"full-width vector work inside a pl.split_aiv region: {_names(ops)} would run identically on both lanes; make "
            f"the operands lane-local, or add the lane index to the read offset",
            region,
            related,
            ops=ops,
            calls=tuple(call.span for call in facts.full_width),
            extents=tuple(_source_extents(call) for call in facts.full_width),
        )


def validate_lowered_body(facts: SplitBodyFacts, fallback: Span) -> None:
    """The same after a halving, where it means that something stayed whole: reported at the first such operator.

    Raises:
        PassError: ``split-region-carry`` or ``split-region-full-width``.
    """
    if facts.carry_mismatches:
        first = facts.carry_mismatches[0]
        raise reject(
            "R-REGION-CARRY",
            "split-region-carry",
            f"the loop carry {_carry_text(facts)} starts lane-local but a full-width value is yielded back",
            first.loop.span if first.loop.span.is_valid else fallback,
            names=[m.name for m in facts.carry_mismatches],
        )
    if facts.full_width:
        call = facts.full_width[0]
        raise reject(
            "R-REGION-FULL",
            "split-region-full-width",
            f"'{call.name}' stays full-width in a split body: both lanes would do the same work on the whole tile",
            call.span if call.span.is_valid else fallback,
            ops=facts.full_width_ops,
        )
