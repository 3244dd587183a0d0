"""Codes of the properties of lowered code (docs/spec/verifiers.md §3)."""

from __future__ import annotations

from pypto_core.diagnostics import FixApplicability, Rule, Severity

_REASON = "The passes make and keep this property, whatever the source is. The check is there for printed IR, and for faults of the compiler."


def internal(code: str, title: str, explanation: str, fix: FixApplicability = "none") -> Rule:
    """A property that lowered programs have; an author sees it only when the compiler itself is at fault."""
    text = f"{explanation} This concerns lowered code: from source it should not be seen."
    return Rule(code, title, text, fix=fix, no_source=_REASON)


RULES: tuple[Rule, ...] = (
    internal(
        "redundant-block", "A statement list in a statement list", "Bodies are flat lists of statements."
    ),
    internal("structured-break", "A break is left", "Kernels leave loops through their conditions."),
    internal("structured-continue", "A continue is left", "Kernels skip statements with branches."),
    internal(
        "hierarchy-scope-left", "A hierarchy block is left", "Such blocks become functions of their level."
    ),
    internal(
        "cluster-scope-left",
        "A cluster or spmd block is left",
        "Such blocks become Group and Spmd functions.",
    ),
    internal("incore-scope-left", "A pl.at block is left", "Such blocks become InCore functions."),
    Rule(
        "compute-in-orchestration",
        "A tensor operator in an orchestration function",
        "The control plane does not compute; see orphan-operator.",
        Severity.WARNING,
        no_source="A whole run says it as `orphan-operator`; this code comes from a verification of SplitIncoreOrch on its own.",
    ),
    internal(
        "inline-function-left", "An inline function is left", "Inline functions are spliced and removed."
    ),
    internal(
        "inline-call-left",
        "A call of an inline function is left",
        "Inline functions are spliced and removed.",
    ),
    Rule(
        "orchestration-reference",
        "A call of a function that is not in the program",
        "An orchestration function calls a name that is neither a function of the program nor an operator.",
        no_source="In a source the same fault is `kernel-unknown`; this code is for printed IR.",
    ),
    internal("incore-tile-ops", "A tensor operator is left in a kernel", "Kernels work on tiles."),
    internal("tile-ops-2d", "A tile of more than two dimensions", "Tiles are flattened to two dimensions."),
    internal(
        "tile-type-coherence",
        "A tile view that says nothing",
        "A view equal to the implicit one is left out.",
    ),
    internal(
        "tensor-view-canonical",
        "Tensor strides that do not fit the layout",
        "Strides follow from shape and layout.",
    ),
    internal(
        "assign-type-symmetry", "A target and its value differ in type", "A target has the type of its value."
    ),
    internal(
        "call-directions", "A call does not say how it uses an argument", "Every argument has a direction."
    ),
    internal(
        "manual-deps-on-call", "A call carries dependencies", "Explicit dependencies are fields of a submit."
    ),
    internal(
        "manual-deps-on-submit",
        "A submit carries dependencies as an attribute",
        "Explicit dependencies are fields of a submit.",
    ),
    internal(
        "pipeline-stages-missing",
        "A pipeline loop without stages",
        "A pl.pipeline loop says how many stages it has.",
    ),
    internal(
        "pipeline-stages-unexpected",
        "Stages on a loop that is no pipeline",
        "Only a pl.pipeline loop has stages.",
    ),
    internal("pipeline-resolved", "A pipeline loop is left", "Pipeline loops become slots and plain loops."),
    internal("unroll-resolved", "An unroll loop is left", "Unroll loops become copies of their bodies."),
    internal("iter-arg-carry", "A carried value is not classified", "Each carried value is rebound or kept."),
    internal("runtime-scopes", "Runtime scopes are implicit", "Orchestration carries its scopes explicitly."),
    internal("comm-domain-scopes", "A communication domain is incomplete", "Each window has one domain."),
    internal("dist-tensor-ctx", "A kernel asks for a context", "Contexts are passed from the host."),
    internal(
        "return-params-explicit",
        "A result is not returned as its parameter",
        "Kernels return their own parameters.",
    ),
    internal(
        "tile-without-memref", "A tile without a memory reference", "Each tile has its piece of memory."
    ),
    internal("tile-without-address", "A tile without an address", "Each tile has a place in its memory."),
)
