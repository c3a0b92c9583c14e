"""The declared tools as tool objects of agent frameworks. Only the module of a framework imports it."""
