import assert from "node:assert/strict";
import { test } from "node:test";

import { readSetFile, rowsOf, writeSet } from "../../../../../static/js/explorer/prompts/editor/set_files.js";
import { readySets } from "../../../../../static/js/explorer/prompts/editor/ready_sets.js";
import { EMPTY_SET as EMPTY, readSet } from "../../../../../static/js/explorer/state/prompt_set.js";

const lines = (/** @type {string} */ name, /** @type {string} */ content) =>
  readSetFile(name, content, 5).prompts.split("\n");

test("each kind of file holds the same prompts", () => {
  const expected = ["A cat, asleep.", 'She said "no".', "日本"];
  assert.deepEqual(lines("a.txt", '\ufeffA cat, asleep.\r\n\r\nShe said "no".\n 日本 \n'), expected);
  assert.deepEqual(lines("a.csv", '"A cat, asleep."\n"She said ""no""."\n日本'), expected);
  assert.deepEqual(lines("a.csv", 'id,Text\r\n1,"A cat, asleep."\r\n2,"She said ""no""."\r\n3,日本\r\n'), expected);
  assert.deepEqual(lines("a.json", JSON.stringify(expected)), expected);
  assert.deepEqual(lines("a.json", JSON.stringify({ prompts: expected.map((text) => ({ text })) })), expected);
  assert.deepEqual(lines("a.jsonl", expected.map((prompt) => JSON.stringify({ prompt })).join("\n")), expected);
});

test("a column or a field names the token that is expected next", () => {
  const answersIn = (/** @type {string} */ name, /** @type {string} */ content) =>
    readSetFile(name, content, 5).answers;
  assert.equal(answersIn("a.csv", "answer,text\nx,a\ny,b"), "x\ny");
  assert.equal(answersIn("a.jsonl", '{"text": "a", "target": "x"}\n{"text": "b", "expected": "y"}'), "x\ny");
  assert.equal(answersIn("a.txt", "a\nb"), "");
});

test("a row of a table knows the line that it begins in", () => {
  assert.deepEqual(rowsOf('a,"b\nc"\nd\n'), [
    { cells: ["a", "b\nc"], line: 1 },
    { cells: ["d"], line: 3 },
  ]);
});

test("what cannot be read is refused by its line", () => {
  for (const [name, content, message] of [
    ["a.txt", "\n \n", "The file holds no prompts."],
    ["a.txt", "a\n".repeat(6), "6 prompts; this server accepts at most 5."],
    ["a.jsonl", '"a"\n\n{"text": 1}', "Line 3 holds no text."],
    ["a.jsonl", '"a"\n{', "Line 2 is not valid JSON."],
    ["a.json", "{", "The file is not valid JSON."],
    ["a.json", "{}", "The file holds neither a list of prompts nor a template."],
    ["a.json", '["a\\nb"]', "Line 1: a prompt holds a line break."],
    ["a.csv", 'a\n"b', "Line 2 begins a quotation that does not end."],
    ["a.csv", "text,n\na,1\n,2", "Line 3 holds no text."],
    ["a.csv", "text,answer\na,x\nb,", "Line 3 names no expected token, as others do."],
  ]) {
    assert.throws(() => readSetFile(name, content, 5), { message }, content);
  }
});

test("the decoder's texts come from a column or a field of their own, for each prompt or for none", () => {
  const targets = (/** @type {string} */ name, /** @type {string} */ content) => readSetFile(name, content, 5).targets;
  assert.equal(targets("a.csv", "text,target_text\na,x\nb,y"), "x\ny");
  assert.equal(targets("a.csv", "text\na"), "");
  assert.equal(targets("a.jsonl", '{"text": "a", "decoder_text": "x"}\n{"text": "b", "target_text": "y"}'), "x\ny");
  assert.equal(targets("a.json", '{"prompts": ["a", "b"], "target_texts": ["one for all"]}'), "one for all");
  assert.throws(() => targets("a.csv", "text,target_text\na,x\nb,"), {
    message: "Line 3 has no text for the decoder, as others do.",
  });
});

test("a saved set is read back as it was", () => {
  const template = {
    ...EMPTY,
    template: "{A} sat.",
    slots: "A: x, y",
    answers: "{A}",
    pairing: /** @type {const} */ ("row"),
  };
  for (const set of [
    { ...EMPTY, prompts: "one\ntwo" },
    { ...EMPTY, prompts: "a\nb", answers: "x\ny" },
    template,
    { ...template, distinct: false },
    { ...template, targets: "Le {A}", promptChat: true, promptSystem: "Be brief." },
    { ...EMPTY, prompts: "a\nb", targets: "x\ny", promptChat: true },
  ]) {
    assert.deepEqual(readSetFile("set.json", writeSet(set), 200), set);
  }
});

test("the ready sets can be run", () => {
  const counts = readySets().map(({ set }) => readSet(set, 200));
  assert.deepEqual(
    counts.map(({ count, problem }) => [count, problem]),
    [
      [24, ""],
      [8, ""],
      [36, ""],
    ],
  );
});
