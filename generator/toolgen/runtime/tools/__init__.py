"""What the modules of declared tools use: their arguments as types, checks, faults and definitions."""
