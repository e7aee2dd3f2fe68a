import assert from "node:assert/strict";
import { test } from "node:test";

import { SNIPPETS, snippet } from "../../../static/js/page/snippets.js";

const PICTURE = {
  link: "https://a.example/circle?q=45&n=10",
  embed: "https://a.example/embed/circle?q=45&n=10",
  title: 'A "circle" [1] <b>',
  height: 700,
};

test("addresses and titles stay what they are inside HTML", () => {
  const html = snippet("html", PICTURE);
  assert.match(html, /^<iframe src="https:\/\/a\.example\/embed\/circle\?q=45&amp;n=10" /);
  assert.match(html, /title="A &quot;circle&quot; \[1\] &lt;b>"/);
  assert.match(html, /height="700"/);
  assert.match(html, /observatory:size/);
});

test("Markdown gets a link, reveal.js a slide", () => {
  assert.equal(snippet("markdown", PICTURE), '[A "circle" \\[1\\] <b>](https://a.example/circle?q=45&n=10)');
  assert.equal(
    snippet("reveal", PICTURE),
    '<section data-background-iframe="https://a.example/embed/circle?q=45&amp;n=10" data-background-interactive data-preload></section>',
  );
});

test("a bracket in an address does not end the link", () => {
  const link = "https://a.example/?text=(a)";
  assert.equal(snippet("markdown", { ...PICTURE, title: "A", link }), "[A](https://a.example/?text=%28a%29)");
});

test("a notebook's cell is Python", () => {
  assert.equal(
    snippet("jupyter", PICTURE),
    'from IPython.display import IFrame\nIFrame("https://a.example/embed/circle?q=45&n=10", width="100%", height=700)',
  );
});

test("Notion takes the address itself", () => {
  assert.equal(snippet("notion", PICTURE), PICTURE.link);
});

test("every kind says something", () => {
  assert.deepEqual(
    SNIPPETS.filter((kind) => !snippet(kind, PICTURE).includes("https://a.example/")),
    [],
  );
});
