"""The smallest possible MCP server with this framework: our own start is compared with it."""

from fastmcp import FastMCP

FastMCP("empty").run(transport="stdio", show_banner=False)
