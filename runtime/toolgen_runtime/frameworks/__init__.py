"""The declared tools as tool objects of agent frameworks. Each framework is imported only by its own module."""
