"""Converter and fields for the agent SDK."""
