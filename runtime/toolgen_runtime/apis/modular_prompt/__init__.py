"""Converter for the messages of modular-prompt."""
