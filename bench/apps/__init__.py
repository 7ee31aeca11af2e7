"""Tasks in real programs, solved through the server's tools by scripted agents: python -m bench.apps."""
