"""Render stage: prints plans as Python, and lowers the declared tools to payloads."""
