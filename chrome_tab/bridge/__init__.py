"""The WebSocket between the extension and the servers of all sessions: one of them leads, the others follow it."""
