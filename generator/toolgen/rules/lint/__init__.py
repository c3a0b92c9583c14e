"""Lint rules, one a file: `CODE` and `check(catalog, findings)` or `check_payloads(payloads, findings)`."""
