"""Attention mechanisms computed stage by stage: torch only, no web framework."""

import os

# Make torch's waiting threads yield their core instead of spinning on it. With several analyses (or other programs)
# on few cores, spinning makes everything several times slower. torch reads this when it is loaded.
os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
