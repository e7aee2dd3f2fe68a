"""``python -m attention_core.atlas``: the same as ``attention-observatory``."""

import sys

from attention_core.atlas.command import main

sys.exit(main())
