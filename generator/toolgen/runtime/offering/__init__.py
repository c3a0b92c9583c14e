"""Tools as requests offer them: entries, schemas in two dialects, groups, and the choice among them."""
