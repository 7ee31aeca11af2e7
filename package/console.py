"""Chrome Tab Reader as an installed package: the server's own files, side by side in this folder."""

import gc
import sys
from pathlib import Path


def main() -> int:
    """Run the server as from a clone: what lies beside it is found by its own name."""
    sys.path.insert(0, str(Path(__file__).parent))
    gc.disable()  # as the server does when it is started itself
    import chrome_tab_mcp_server as server

    gc.freeze()
    gc.enable()
    return server.main()
