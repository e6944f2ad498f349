"""One module for each kind of thing that arrives."""
