"""Converter, fields and streams for Bedrock's Converse."""
