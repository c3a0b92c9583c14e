"""Converter, fields and streams for Ollama's chat."""
