"""The WebSocket between the extension and the servers of all sessions."""
