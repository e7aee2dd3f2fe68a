"""Performance measurements. Those beside peers use the client, from its folder as no environment here installs it."""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parent.parent / "client"))
