"""Lint rules, one a file: `CODE` and `check(catalog, findings)`."""
