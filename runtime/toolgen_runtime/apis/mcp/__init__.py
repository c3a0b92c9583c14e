"""Converter and fields for the Model Context Protocol."""
