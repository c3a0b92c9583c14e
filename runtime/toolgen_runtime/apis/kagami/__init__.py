"""Converter for the messages of Kagami."""
