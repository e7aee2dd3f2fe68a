import assert from "node:assert/strict";
import { test } from "node:test";

import { SNIPPETS, snippet } from "../../static/js/snippets.js";

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
    '<section data-background-iframe="https://a.example/embed/circle?q=45&amp;n=10" data-background-interactive></section>',
  );
  assert.equal(SNIPPETS.length, 3);
});
