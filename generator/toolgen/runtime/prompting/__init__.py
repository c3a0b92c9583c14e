"""Tools for models without native tools: tools as text, calls from the model's text, and results as text.

No module here knows a provider, and sessions use them directly. `tool_texts` writes tools into a system message,
`text_parser` finds calls in the text of a model, `stream_parser` does so while it arrives, and `text_calls` writes
calls and results as text. Every text that is written here can be read back, and other text stays text.
"""
