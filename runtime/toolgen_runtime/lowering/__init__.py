"""Lowering: rewrites a JSON Schema into a provider's dialect, by rules that the profile states as data.

Keywords that the dialect does not support are replaced by others, described, or dropped, and every such change is
recorded. The tool's own validation still enforces what was lost. A build and `to_tools` run the same code.
"""
