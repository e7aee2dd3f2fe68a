"""A process of our own that hears and says lines."""

import pytest

from attention_core.line_process import LineProcess

MODULE = "attention_core.pretrained.inputs.chat_process"


@pytest.mark.full
def test_it_answers_line_by_line_and_ends_when_told() -> None:
    process = LineProcess(MODULE)
    assert process.hear(60.0) == {"ready": True}
    for word in ("one", "two"):
        process.tell({"template": word, "messages": [], "tokens": {}})
        assert process.hear(60.0) == {"text": word}
    with pytest.raises(TimeoutError):
        process.hear(0.0)
    process.close()
    for _ in range(2):
        with pytest.raises(EOFError):
            process.hear(60.0)
    process.tell("nobody hears it")
