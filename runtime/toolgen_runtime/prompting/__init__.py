"""Tools for models without native tools: tools as text, calls from the model's text, and results as text.

No module here knows a provider, and sessions use them directly. `tool_definitions_as_text` writes tools into a system
message. `tool_blocks` finds the blocks of a text, and `text_calls` reads and writes calls and results. `text_parser`
reads the complete text of a model, and `stream_parser` reads it as it arrives. Every text that is written here can be
read back, and other text stays text.
"""
