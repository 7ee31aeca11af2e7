"""The optional extension path of Chrome Tab Reader: bridge, extension tools, HTTP, side panel, history, setup."""
