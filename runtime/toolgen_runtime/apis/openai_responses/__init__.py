"""Converter, fields and streams for OpenAI's Responses."""
