"""Command-line actions that need the package."""
