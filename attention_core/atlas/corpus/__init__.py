"""Corpora: reading files of many formats, preparing them as shards, and our own probe corpus."""
