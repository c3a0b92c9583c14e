"""Converter, stream and sessions for Copilot."""
