"""Scripted agents solve MiniWoB++ through the server's tools: python -m bench.miniwob."""
