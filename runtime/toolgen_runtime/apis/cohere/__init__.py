"""Converter, fields and streams for Cohere's chat."""
