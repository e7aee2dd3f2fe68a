"""Attention mechanisms computed stage by stage: torch only, no web framework."""

import os

# torch's threads that wait for each other give their core away instead of spinning on it. With several analyses at
# once (or other programs) on few cores, spinning makes everything several times slower. Read when torch is loaded.
os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
