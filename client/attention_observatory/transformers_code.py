"""Python code that computes an analysis's weights with the library transformers alone."""

from __future__ import annotations

import json
from typing import Any

SHIPPED = {"observatory-gpt2-mini": "attention_core/pretrained/models/shipped/observatory-gpt2-mini"}
"""Folders of models that no hub has, by id, from the root of the Observatory's repository."""
OUTPUTS = {"encoder": "encoder_attentions", "decoder": "decoder_attentions", "cross": "cross_attentions"}
"""By the name of the part, where a model has several."""


def transformers_code(
    request: dict[str, Any], answer: dict[str, Any], layer: int, head: int, part: str | None, query: int | None
) -> str:
    """Lines that end with ``weights``, (queries, keys) of one head, for a request of texts or a chat message.

    The Explorer writes the same (``static/js/base/code/transformers_code.js``); a test compares the two.
    """
    model = request["model"]
    note = "" if "/" in model else "  # its folder"
    names = [each["name"] for each in answer["parts"]]
    targets = [] if len(names) == 1 else [token["id"] for token in answer["target_tokens"]]
    attentions = OUTPUTS[part or names[0]] if targets else "attentions"
    return "\n".join(
        [
            "import torch",
            "from transformers import AutoModel, AutoTokenizer",
            "",
            f"name = {_literal(SHIPPED.get(model, model))}{note}",
            "tokenizer = AutoTokenizer.from_pretrained(name)",
            f'model = AutoModel.from_pretrained(name, attn_implementation="eager", dtype=torch.{answer["dtype"]})',
            "torch.set_grad_enabled(False)",
            "",
            *_inputs(request),
            *(
                [f'inputs["decoder_input_ids"] = torch.tensor([{targets}])  # begins with the start token']
                if targets
                else []
            ),
            "output = model(**inputs, output_attentions=True)",
            f"weights = output.{attentions}[{layer}][0, {head}]"
            "  # queries × keys; layers, heads and tokens count from 0",
            "print(weights)",
            *([] if query is None else [f"print(weights[{query}])"]),
        ]
    )


def _inputs(request: dict[str, Any]) -> list[str]:
    if not request.get("chat"):
        texts = ", ".join(_literal(request[name]) for name in ("text", "text_pair") if name in request)
        return [f'inputs = tokenizer({texts}, return_tensors="pt")']
    system, user = request.get("system_text"), f'{{"role": "user", "content": {_literal(request["text"])}}}'
    before = f'{{"role": "system", "content": {_literal(system)}}}, ' if system else ""
    return [
        f"messages = [{before}{user}]",
        "text = tokenizer.apply_chat_template(messages, tokenize=False, add_generation_prompt=True)",
        'inputs = tokenizer(text, add_special_tokens=False, return_tensors="pt")',
    ]


def _literal(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)
