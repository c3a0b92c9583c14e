"""Converter and streams for the text protocol."""
