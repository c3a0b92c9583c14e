"""Converters, fields and streams for Gemini and Vertex AI."""
