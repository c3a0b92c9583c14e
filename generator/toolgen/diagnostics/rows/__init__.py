"""Rows of the code table, a module for each stage that reports."""
