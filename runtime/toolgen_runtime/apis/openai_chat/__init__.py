"""Converter, fields and streams for Chat Completions and compatible servers."""
