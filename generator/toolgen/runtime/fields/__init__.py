"""Fields that several wires have in the same form: a reader and a writer for each."""
