"""Converter, fields and streams for Anthropic Messages."""
