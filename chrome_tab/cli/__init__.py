"""Actions of the command line that need the package."""
