"""The optional package of Chrome Tab Reader: bridge, extension tools, HTTP, side panel, history, setup."""
