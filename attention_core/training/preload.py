"""Modules the fork server imports ahead, so that a run starts in milliseconds.

AdamW imports ``torch._dynamo`` when the first one is made, which takes as long as torch itself. Nothing here computes:
a process that has threads of its own cannot be forked safely.
"""

import torch._dynamo

import attention_core.training.worker

__all__ = ["attention_core", "torch"]
