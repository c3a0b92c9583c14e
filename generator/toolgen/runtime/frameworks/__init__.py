"""The declared tools as tool objects of other frameworks. A framework is imported with its own module, and by nothing else."""
