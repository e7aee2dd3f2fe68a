/** Python code that runs a pretrained model with the library transformers alone. */

import { literal } from "./python_code.js";

/** Folders of models that no hub has, by id, from the root of this project. @type {Record<string, string>} */
const SHIPPED = {
  "observatory-gpt2-mini": "attention_core/pretrained/models/shipped/observatory-gpt2-mini",
};

/** By the name of the part, where a model has several. @type {Record<string, string>} */
const OUTPUTS = { encoder: "encoder_attentions", decoder: "decoder_attentions", cross: "cross_attentions" };

/**
 * Lines that load `tokenizer` and `model`.
 * @param {string} model  id
 * @param {string} [dtype]
 * @returns {string[]}
 */
export function modelCode(model, dtype = "float32") {
  const isOnHub = model.includes("/");
  const where = SHIPPED[model] ?? model;
  const note = isOnHub ? "" : "  # its folder";
  return [
    "import torch",
    "from transformers import AutoModel, AutoTokenizer",
    "",
    `name = ${literal(where)}${note}`,
    "tokenizer = AutoTokenizer.from_pretrained(name)",
    `model = AutoModel.from_pretrained(name, attn_implementation="eager", dtype=torch.${dtype})`,
    "torch.set_grad_enabled(False)",
  ];
}

/**
 * Lines that run them on a text, up to `output`; with `inputs` the lines that make it are given.
 * @param {string} text  Python expressions: one text, or two with a comma between
 * @param {{targets?: number[] | null, hasStates?: boolean, inputs?: string[]}} [options]  `targets`: ids that a decoder beside an encoder gets
 * @returns {string[]}
 */
export function runCode(text, { targets = null, hasStates = false, inputs } = {}) {
  return [
    ...(inputs ?? [`inputs = tokenizer(${text}, return_tensors="pt")`]),
    ...(targets
      ? [
          `inputs["decoder_input_ids"] = torch.tensor([${literal(targets, { whole: true })}])  # begins with the start token`,
        ]
      : []),
    `output = model(**inputs, output_attentions=True${hasStates ? ", output_hidden_states=True" : ""})`,
  ];
}

/**
 * @typedef {object} WeightsAsked
 * @property {string} model  id
 * @property {string} [dtype]
 * @property {string[]} texts  one, or two that the tokenizer joins
 * @property {{system: string} | null} [chat]  given if the text is a chat message; "" for no system message
 * @property {number[] | null} targets  ids of the target's tokens; null unless the model has several parts
 * @property {string} part  its name, where the model has several
 * @property {{layer: number, head: number}[]} heads
 * @property {boolean} [isMean]  of these heads
 * @property {number | null} query
 * @property {number | null} [key]
 */

/**
 * The whole code that prints weights of heads, and the row of one query. The client for Python writes the same
 * (`client/attention_observatory/transformers_code.py`); a test compares the two.
 * @param {WeightsAsked} asked
 * @returns {string[]}
 */
export function weightsCode({ model, dtype, texts, chat, targets, part, heads, isMean = false, query, key = null }) {
  const attentions = `output.${targets ? OUTPUTS[part] : "attentions"}`;
  const note = "queries × keys; layers, heads and tokens count from 0";
  const list = heads.map(({ layer, head }) => `(${layer}, ${head})`).join(", ");
  const [{ layer, head }] = heads;
  const isOne = heads.length === 1;
  const row = isOne || isMean ? `${query}` : `:, ${query}`;
  return [
    ...modelCode(model, dtype),
    "",
    ...runCode(texts.map((text) => literal(text)).join(", "), {
      targets,
      ...(chat && { inputs: chatCode(texts[0], chat.system) }),
    }),
    ...(isOne
      ? [`weights = ${attentions}[${layer}][0, ${head}]  # ${note}`]
      : [
          `heads = [${list}]`,
          `weights = torch.stack([${attentions}[layer][0, head] for layer, head in heads])  # heads × ${note}`,
          ...(isMean ? ["weights = weights.mean(0)  # of these heads"] : []),
        ]),
    "print(weights)",
    ...(query === null ? [] : [`print(weights[${row}${key === null ? "" : `, ${key}`}])`]),
  ];
}

/**
 * Lines that write a message by the model's chat template, up to `inputs`.
 * @param {string} text
 * @param {string} system  "" for none
 */
function chatCode(text, system) {
  const before = system === "" ? "" : `{"role": "system", "content": ${literal(system)}}, `;
  return [
    `messages = [${before}{"role": "user", "content": ${literal(text)}}]`,
    "text = tokenizer.apply_chat_template(messages, tokenize=False, add_generation_prompt=True)",
    'inputs = tokenizer(text, add_special_tokens=False, return_tensors="pt")',
  ];
}
