"""Code that the modules of declared tools use: types of arguments, checks, errors and definitions."""
