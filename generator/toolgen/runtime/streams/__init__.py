"""Streams: events of a wire joined into the body that they stand for, and the way back.

A stream joins its events into the body of a whole response and reads that body as `from_response` does, so that both
say the same. Each module here is one way of joining that a profile picks by name.
"""
