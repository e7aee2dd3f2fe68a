/** The chosen claim with transformers alone: the model's weights, and what is measured on them. */

import { chosenClaim } from "./state.js";
import { literal } from "../../base/code/python_code.js";
import { modelCode, runCode } from "../../base/code/transformers_code.js";

/** @typedef {import("./steps.js").Claim} Claim */

/** Random tokens before they are repeated, and sequences of them. */
const [PERIOD, SEQUENCES] = [50, 4];
/** How far back each score looks. */
const OFFSETS = /** @type {Record<string, number>} */ ({ induction: PERIOD - 1, previous_token_random: 1 });

/** @param {import("./state.js").ClaimsData} data @returns {string[]} */
export function pytorch(data) {
  const claim = chosenClaim(data);
  const lines = { token_weight: oneWeight, separator_share: separators, head_score: repeated, relation: partners };
  return [...modelCode(claim.model), "", ...lines[claim.kind](claim)];
}

/** @param {Claim} claim */
function oneWeight({ text, layer, head, reader, read }) {
  return [
    ...runCode(literal(text)),
    'words = tokenizer.convert_ids_to_tokens(inputs["input_ids"][0])',
    `weights = output.attentions[${layer}][0, ${head}]  # queries × keys; layers and heads count from 0`,
    `print(weights[words.index(${literal(reader)}), words.index(${literal(read)})])`,
  ];
}

/** @param {Claim} claim */
function separators({ text, text_pair: pair, layer, last_layer: last }) {
  return [
    ...runCode(`${literal(text)}, ${literal(pair)}`),
    'is_separator = inputs["input_ids"][0] == tokenizer.sep_token_id',
    `layers = torch.stack(output.attentions[${layer}:${Number(last) + 1}])  # layers × 1 × heads × queries × keys`,
    "print(layers[..., is_separator].sum(-1).mean())",
  ];
}

/** @param {Claim} claim */
function repeated({ layer, head, score }) {
  const offset = OFFSETS[score ?? ""];
  return [
    "ids = torch.tensor(sorted(set(tokenizer.get_vocab().values()) - set(tokenizer.all_special_ids)))",
    "start = [tokenizer.cls_token_id or tokenizer.bos_token_id]",
    "end = [tokenizer.sep_token_id] if tokenizer.sep_token_id else []",
    "generator, found = torch.Generator().manual_seed(0), []",
    `for _ in range(${SEQUENCES}):`,
    `    half = ids[torch.randperm(len(ids), generator=generator)[:${PERIOD}]].tolist()  # random, all different`,
    "    tokens = torch.tensor([start + half + half + end])",
    `    weights = model(tokens, output_attentions=True).attentions[${layer}][0, ${head}]`,
    `    queries = torch.arange(${PERIOD + 1}, ${2 * PERIOD + 1})  # the second half`,
    `    found.append(weights[queries, queries - ${offset}].mean())  # ${offset} back`,
    "print(torch.stack(found).mean())",
  ];
}

/** @param {Claim} claim */
function partners({ layer, head, sentences }) {
  const rows = (sentences ?? []).map(
    ({ text, reader, read }) => `    (${[text, reader, read].map((part) => literal(part)).join(", ")}),`,
  );
  return [
    "import re",
    "",
    "sentences = [  # each with the word that attends, and the one to be found",
    ...rows,
    "]",
    "found = 0",
    "for text, reader, read in sentences:",
    '    inputs = tokenizer(text, return_tensors="pt", return_offsets_mapping=True)',
    '    spans = inputs.pop("offset_mapping")[0].tolist()',
    `    weights = model(**inputs, output_attentions=True).attentions[${layer}][0, ${head}]`,
    '    words = list(re.finditer(r"\\w+|[^\\w\\s]", text))',
    "    tokens = [[i for i, (a, b) in enumerate(spans) if a < word.end() and word.start() < b] for word in words]",
    "    weights = torch.stack([weights[:, one].sum(-1) for one in tokens], -1)  # to words …",
    "    weights = torch.stack([weights[one].mean(0) for one in tokens])  # … and from words",
    "    names = [word[0] for word in words]",
    "    row = weights[names.index(reader)]",
    "    row[names.index(reader)] = 0  # not the word itself",
    "    found += names[row.argmax()] == read",
    "print(found / len(sentences))",
  ];
}
