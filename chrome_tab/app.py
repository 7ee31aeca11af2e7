"""The full program: the reader of `chrome_tab_mcp_server.py` with everything that this package adds to it."""

import gc

gc.disable()  # as the server does when it is started itself: nothing that is imported becomes garbage

import chrome_tab_mcp_server as server

__all__ = ["main"]


def main() -> int:
    """Run the command line of the installed package; return the exit status."""
    gc.freeze()
    gc.enable()
    return server.main()
