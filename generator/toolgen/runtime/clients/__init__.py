"""Official clients: their objects as plain data, and bodies as keyword arguments of their calls."""
