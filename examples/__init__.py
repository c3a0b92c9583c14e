"""Small complete programs that use the package generated from `schemas/`. README.md describes how to start each."""
