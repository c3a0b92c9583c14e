"""Converters as Python text: the methods of a provider's class, and the constants that they use."""

from toolgen.render.converters.code import Method
from toolgen.render.converters.wire_classes import WireClass, wire_class

__all__ = ["Method", "WireClass", "wire_class"]
