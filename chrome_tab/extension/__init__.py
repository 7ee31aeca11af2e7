"""The tools that need the extension."""
