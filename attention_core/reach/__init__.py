"""Which position really influences which: measured by replacing tokens. torch and the standard library alone.

The client's wheel carries this room, so nothing here may import the rest of ``attention_core``.
"""
