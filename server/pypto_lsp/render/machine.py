"""Findings for machines: JSON lines of our own, SARIF 2.1.0, GitHub workflow commands."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import quote

from pypto_core import Diagnostic, Related, Severity, Span, rules
from pypto_lsp import __version__
from pypto_lsp.links import SITE, rule_page

#: Absolute path -> the name to show.
Shown = Callable[[str], str]

_SARIF_LEVELS = {
    Severity.ERROR: "error",
    Severity.WARNING: "warning",
    Severity.INFORMATION: "note",
    Severity.HINT: "note",
}
_GITHUB_LEVELS = {
    Severity.ERROR: "error",
    Severity.WARNING: "warning",
    Severity.INFORMATION: "notice",
    Severity.HINT: "notice",
}
_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"


_ROOT = "SRCROOT"


def as_json(found: Iterable[Diagnostic], shown: Shown = str) -> str:
    """A list of objects; lines and columns are 1-based, ends exclusive."""
    return json.dumps([_json_finding(f, shown) for f in found], indent=2, ensure_ascii=False)


def _json_finding(finding: Diagnostic, shown: Shown) -> dict[str, Any]:
    rule = rules().get(finding.code)
    return {
        "code": finding.code,
        "severity": finding.severity.text,
        "message": finding.message,
        **_json_span(finding.span, shown),
        "related": [{"message": r.message, **_json_span(r.span, shown)} for r in finding.related],
        "fix": rule.fix if rule is not None else "none",
        "url": rule_page(finding.code),
    }


def _json_span(span: Span, shown: Shown) -> dict[str, Any]:
    if not span.is_valid:
        return {"file": None}
    return {
        "file": shown(span.filename),
        "line": span.line,
        "column": span.column,
        "endLine": span.end_line,
        "endColumn": span.end_column,
    }


def as_sarif(found: Iterable[Diagnostic], shown: Shown = str) -> str:
    """A SARIF log with the rules that are used; files below the current folder are relative to it."""
    findings = list(found)
    codes = sorted({f.code for f in findings})
    index = {code: i for i, code in enumerate(codes)}
    run = {
        "tool": {
            "driver": {
                "name": "pypto-lsp",
                "version": __version__,
                "informationUri": SITE,
                "rules": [_sarif_rule(code) for code in codes],
            }
        },
        "invocations": [{"executionSuccessful": True}],
        "originalUriBaseIds": {_ROOT: {"uri": Path.cwd().as_uri() + "/"}},
        "columnKind": "unicodeCodePoints",
        "results": [_sarif_result(f, index[f.code], shown) for f in findings],
    }
    return json.dumps({"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}, indent=2, ensure_ascii=False)


def _sarif_rule(code: str) -> dict[str, Any]:
    rule = rules().get(code)
    described: dict[str, Any] = {"id": code, "helpUri": rule_page(code)}
    if rule is not None:
        described["shortDescription"] = {"text": rule.title}
        described["fullDescription"] = {"text": rule.explanation}
        described["defaultConfiguration"] = {"level": _SARIF_LEVELS[rule.severity]}
    return described


def _sarif_result(finding: Diagnostic, index: int, shown: Shown) -> dict[str, Any]:
    result: dict[str, Any] = {
        "ruleId": finding.code,
        "ruleIndex": index,
        "level": _SARIF_LEVELS[finding.severity],
        "message": {"text": finding.message},
        "locations": [_location(finding.span, shown)] if finding.span.is_valid else [],
    }
    related = _related(finding.related, shown)
    if related:
        result["relatedLocations"] = related
    return result


def _related(others: Sequence[Related], shown: Shown) -> list[dict[str, Any]]:
    placed = [other for other in others if other.span.is_valid]
    return [
        {"id": i, "message": {"text": other.message}, **_location(other.span, shown)}
        for i, other in enumerate(placed)
    ]


def _location(span: Span, shown: Shown) -> dict[str, Any]:
    path = Path(shown(span.filename))
    artifact = (
        {"uri": path.as_uri()} if path.is_absolute() else {"uri": quote(path.as_posix()), "uriBaseId": _ROOT}
    )
    region = {
        "startLine": span.line,
        "startColumn": span.column,
        "endLine": span.end_line,
        "endColumn": span.end_column,
    }
    return {"physicalLocation": {"artifactLocation": artifact, "region": region}}


def as_github(found: Iterable[Diagnostic], shown: Shown = str) -> str:
    """Workflow commands: one annotation per finding."""
    lines = []
    for f in found:
        place = ""
        span = f.span
        if span.is_valid:
            file = _property(shown(span.filename))
            place = f"file={file},line={span.line},col={span.column},endLine={span.end_line},endColumn={span.end_column},"
        lines.append(f"::{_GITHUB_LEVELS[f.severity]} {place}title={_property(f.code)}::{_data(f.message)}")
    return "\n".join(lines)


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
