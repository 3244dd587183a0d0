"""Rows of the table of codes, one module per topic; see pypto_core.diagnostics."""
