"""Converter, fields and streams for copilot-quorum."""
