"""The render stage."""
