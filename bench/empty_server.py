"""The least that an MCP server of this framework can be: what our own start is compared with."""

from fastmcp import FastMCP

FastMCP("empty").run(transport="stdio", show_banner=False)
