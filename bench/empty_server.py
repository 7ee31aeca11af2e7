"""The least that an MCP server of this framework can be: what our start and our calls are compared with."""

from fastmcp import FastMCP

server = FastMCP("empty")


@server.tool
def nothing() -> str:
    return ""


server.run(transport="stdio", show_banner=False)
