"""Values of the format: dumped, loaded, looked into, checked and repaired."""
