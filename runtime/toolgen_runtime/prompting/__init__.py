"""Tools for models without native tools: tools as text, calls from the model's text, and results as text.

No module here knows a provider, and sessions use them directly. `tool_definitions_as_text` writes tools into a system
message, `text_parser` finds calls in the complete text of a model, `stream_parser` finds them as it arrives, and
`text_calls` converts calls and results. Every text that is written here can be read back, and other text stays text.
"""
