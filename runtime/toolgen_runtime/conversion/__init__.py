"""The shared parts of all conversions: the state of reading and writing, extras, ids, arguments, and losses."""
