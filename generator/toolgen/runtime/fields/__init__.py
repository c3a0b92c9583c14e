"""Fields that several wires spell in the same way: a reader and a writer each."""
