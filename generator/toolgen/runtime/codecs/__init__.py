"""Pairs of functions that a profile names: how a key's value is read into fields, and written from them.

Each module is a codec of its own name. `read(value, at, reader)` gives the fields and, last, the spelling to keep:
ABSENT where `write` would give the same. `write(*fields, kept, at, writer)` gives the value for the key, or ABSENT
for no key; a kept spelling counts only while it still says what the fields say. A codec with a table takes it last.
"""
