import assert from "node:assert/strict";
import { test } from "node:test";

import { examples, noticeOn } from "../../../../static/js/explorer/patching/examples.js";
import { DECODER, NAMES_DECODER } from "../../../../static/js/wording/model_names.js";

test("an example is told of where both prompts and the model are its own", () => {
  for (const { state, notice } of examples(1)) {
    const shown = {
      model: state.model ?? DECODER,
      text: state.text ?? "",
      corrupt: state.corrupt ?? "",
      numbering: /** @type {1} */ (1),
    };
    assert.notEqual(shown.text, shown.corrupt);
    assert.equal(noticeOn(shown), notice);
    assert.equal(noticeOn({ ...shown, model: shown.model === DECODER ? NAMES_DECODER : DECODER }), "");
    assert.equal(noticeOn({ ...shown, corrupt: "" }), "");
  }
});
