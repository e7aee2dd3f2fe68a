/** Numbers of the step that is shown, worked out again in PyTorch: chance, the loss as a probability, and one row of a map. */

import { best, mapOf } from "./run.js";
import { isInductive } from "./state.js";
import { literal } from "../../base/code/python_code.js";
import { headCode } from "../../wording/labels.js";

/** Digits of weights, which are recorded in steps of 1/255. */
const DIGITS = 3;

/** @param {import("./run_source.js").TrainingData} data @returns {string[]} */
export function pytorch({ answer: { drawn: run, update } }) {
  if (!run || !update) return ["# Run a network first: its example and its numbers are filled in here."];
  const { example, scored, chance_loss: chance, config } = run.answer;
  const { layer, head } = best(update, isInductive(config.task) ? "induction" : "answer");
  const query = scored.lastIndexOf(true);
  const map = mapOf(update, { heads: config.num_heads, layer, head });
  const row = Array.from(map.subarray(query * update.size, query * update.size + query + 1), (byte) =>
    Number((byte / 255).toFixed(DIGITS)),
  );
  return [
    "import math",
    "import torch",
    "",
    `tokens = ${literal(example.join(" "))}.split()  # the example`,
    `query = ${query}  # the last one with a predictable answer`,
    ...(example.slice(0, query).includes(example[query]) && isInductive(config.task)
      ? [
          "before = [key for key in range(query) if tokens[key] == tokens[query]]",
          "print(before[-1] + 1)  # the key that an induction head attends to: after the last occurrence",
        ]
      : []),
    `row = torch.tensor(${literal(row)})  # weights of ${headCode(layer, head, 0)} at step ${update.step}`,
    "print(row.argmax())  # the key that it attends to most",
    "print(row.max())",
    "print((1 / torch.arange(2.0, len(tokens) + 1)).mean())  # weight on the previous token, by chance",
    `print(math.log(${Math.round(Math.exp(chance))}))  # loss by chance: so many tokens can be the answer`,
    `print(math.exp(-${literal(update.loss)}))  # what the loss at step ${update.step} says: the right token's probability`,
  ];
}
