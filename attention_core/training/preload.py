"""Modules the fork server imports ahead, so that a run starts in milliseconds.

The first AdamW imports ``torch._dynamo``, which takes as long as importing torch. Nothing here computes: a process
with threads cannot be forked safely.
"""

import torch._dynamo

import attention_core.training.worker

__all__ = ["attention_core", "torch"]
