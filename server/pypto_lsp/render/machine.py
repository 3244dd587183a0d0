"""Findings for machines: JSON of our own, SARIF 2.1.0, GitHub workflow commands.

Repairs of a finding are those in ``data["repairs"]``; a finding without this key has none.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import quote

from pypto_core import Diagnostic, Edit, Fix, Related, Severity, Span, rules
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
    fixes = _repairs(finding)
    return {
        "code": finding.code,
        "severity": finding.severity.text,
        "message": finding.message,
        **_json_span(finding.span, shown),
        "related": [{"message": r.message, **_json_span(r.span, shown)} for r in finding.related],
        "fix": "none" if not fixes else "safe" if any(f.safe for f in fixes) else "review",
        "fixes": [
            {
                "title": fix.title,
                "safe": fix.safe,
                "edits": [{**_json_span(e.span, shown), "text": e.text} for e in fix.edits],
            }
            for fix in fixes
        ],
        "url": rule_page(finding.code),
    }


def _repairs(finding: Diagnostic) -> tuple[Fix, ...]:
    repairs: tuple[Fix, ...] = finding.data.get("repairs", ())
    return repairs


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
    fixes = [_sarif_fix(fix, shown) for fix in _repairs(finding)]
    if fixes:
        result["fixes"] = fixes
    return result


def _sarif_fix(fix: Fix, shown: Shown) -> dict[str, Any]:
    by_file: dict[str, list[Edit]] = {}
    for edit in fix.edits:
        by_file.setdefault(edit.span.filename, []).append(edit)
    changes = [
        {
            "artifactLocation": _artifact(shown(file)),
            "replacements": [
                {"deletedRegion": _region(e.span), "insertedContent": {"text": e.text}} for e in edits
            ],
        }
        for file, edits in by_file.items()
    ]
    return {"description": {"text": fix.title}, "artifactChanges": changes}


def _related(others: Sequence[Related], shown: Shown) -> list[dict[str, Any]]:
    placed = [other for other in others if other.span.is_valid]
    return [
        {"id": i, "message": {"text": other.message}, **_location(other.span, shown)}
        for i, other in enumerate(placed)
    ]


def _location(span: Span, shown: Shown) -> dict[str, Any]:
    place = {"artifactLocation": _artifact(shown(span.filename)), "region": _region(span)}
    return {"physicalLocation": place}


def _artifact(name: str) -> dict[str, str]:
    path = Path(name)
    if path.is_absolute():
        return {"uri": path.as_uri()}
    return {"uri": quote(path.as_posix()), "uriBaseId": _ROOT}


def _region(span: Span) -> dict[str, int]:
    return {
        "startLine": span.line,
        "startColumn": span.column,
        "endLine": span.end_line,
        "endColumn": span.end_column,
    }


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
