"""Facts as text: Markdown for editors, reports and tables for terminals."""
