"""Attention, computed stage by stage: torch only, no web."""
