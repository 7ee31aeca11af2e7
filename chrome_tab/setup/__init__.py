"""`--setup`: find a model, write the settings, pair, register with clients; and undo all of it."""
