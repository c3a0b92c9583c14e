"""Small whole programs on the package that `toolgen build` makes of `schemas/`; README.md says how to start each."""
