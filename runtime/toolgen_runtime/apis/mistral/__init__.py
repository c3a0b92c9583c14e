"""Converter, fields and streams for Mistral's chat."""
