"""The smallest possible MCP server with this framework: our own start and calls are compared with it."""

from fastmcp import FastMCP

server = FastMCP("empty")


@server.tool
def nothing() -> str:
    return ""


server.run(transport="stdio", show_banner=False)
