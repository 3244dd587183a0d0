"""Findings for machines: JSON lines of our own, SARIF 2.1.0, GitHub workflow commands."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from pypto_core import Diagnostic, Severity, Span, rules
from pypto_lsp import __version__

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


def as_json(found: Iterable[Diagnostic]) -> str:
    """A list of objects; lines and columns are 1-based, ends exclusive."""
    return json.dumps([_json_finding(f) for f in found], indent=2)


def _json_finding(finding: Diagnostic) -> dict[str, Any]:
    return {
        "code": finding.code,
        "severity": finding.severity.text,
        "message": finding.message,
        **_json_span(finding.span),
        "related": [{"message": r.message, **_json_span(r.span)} for r in finding.related],
    }


def _json_span(span: Span) -> dict[str, Any]:
    if not span.is_valid:
        return {"file": None}
    return {
        "file": span.filename,
        "line": span.line,
        "column": span.column,
        "endLine": span.end_line,
        "endColumn": span.end_column,
    }


def as_sarif(found: Iterable[Diagnostic]) -> str:
    """A SARIF log with the rules that are used."""
    findings = list(found)
    table = rules()
    codes = sorted({f.code for f in findings})
    index = {code: i for i, code in enumerate(codes)}
    described = [
        {
            "id": code,
            "shortDescription": {"text": table[code].title if code in table else code},
            "fullDescription": {"text": table[code].explanation if code in table else code},
        }
        for code in codes
    ]
    results = [
        {
            "ruleId": f.code,
            "ruleIndex": index[f.code],
            "level": _SARIF_LEVELS[f.severity],
            "message": {"text": f.message},
            "locations": [{"physicalLocation": _physical(f.span)}] if f.span.is_valid else [],
            "relatedLocations": [
                {"id": i, "message": {"text": r.message}, "physicalLocation": _physical(r.span)}
                for i, r in enumerate(f.related)
                if r.span.is_valid
            ],
        }
        for f in findings
    ]
    driver = {"name": "pypto-lsp", "version": __version__, "rules": described}
    log = {
        "$schema": _SCHEMA,
        "version": "2.1.0",
        "runs": [{"tool": {"driver": driver}, "columnKind": "unicodeCodePoints", "results": results}],
    }
    return json.dumps(log, indent=2)


def _physical(span: Span) -> dict[str, Any]:
    path = Path(span.filename)
    uri = path.as_uri() if path.is_absolute() else path.as_posix()
    return {
        "artifactLocation": {"uri": uri},
        "region": {
            "startLine": span.line,
            "startColumn": span.column,
            "endLine": span.end_line,
            "endColumn": span.end_column,
        },
    }


def as_github(found: Iterable[Diagnostic]) -> str:
    """Workflow commands: one annotation per finding."""
    lines = []
    for f in found:
        place = ""
        if f.span.is_valid:
            place = f"file={_property(f.span.filename)},line={f.span.line},col={f.span.column},endLine={f.span.end_line},"
        lines.append(f"::{_GITHUB_LEVELS[f.severity]} {place}title={_property(f.code)}::{_data(f.message)}")
    return "\n".join(lines)


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
