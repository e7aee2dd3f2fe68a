"""Another model: the same words stay chosen, and a vocabulary that does not know the script is said."""

import re
from pathlib import Path
from typing import Any

import numpy as np
import torch
from driving import MODEL, choose_example, choose_model, expect_address, parameters, visit
from playwright.sync_api import Browser, Page, expect
from serving import serving
from settling import until
from tiny_models import write_model_folder

from attention_observatory import Observatory

DECODER = "observatory-gpt2-mini"


def test_the_same_words_stay_chosen_and_an_unknown_script_is_said(page: Page) -> None:
    visit(page)
    expect_address(page, layer="5", head="11", query="8", key="2")  # it → cat, behind [CLS]
    warnings = page.locator("#progress .warnings")
    expect(warnings).to_be_hidden()
    page.locator("#quick-off").click()
    expect_address(page, changes="off-5.11")
    choose_model(page, DECODER)
    expect(page.locator("#grid-size")).to_have_text("6 layers × 6 heads")
    expect_address(page, model=DECODER, query="7", key="1")
    assert "changes" not in parameters(page)
    expect(page.locator("#address-notes")).to_contain_text("so this one is shown unchanged")
    head = page.evaluate("() => Number(new URLSearchParams(location.search).get('head'))")
    assert head < 6
    choose_example(page, "Arabic")
    own = "of the characters have no token of their own"
    expect(warnings).to_have_text(re.compile(rf"^97 % {own}: .* hardly knows this script\.$"))
    choose_example(page, "Japanese")
    expect(warnings).to_have_text(re.compile(rf"^100 % {own}: .* hardly knows this script\.$"))
    choose_model(page, MODEL)
    expect(warnings).to_have_text(re.compile(r"^15 % of the text is unknown .*: 3 of 20 tokens are \[UNK\]\.$"))
    choose_example(page, "Arabic")
    expect(warnings).to_have_text(re.compile(r"^29 of 32 tokens are single characters"))


def test_a_text_is_given_as_a_chat_message(browser: Browser, root: Path, tmp_path: Path) -> None:
    folder = write_model_folder(tmp_path / "models", "tiny-llama")
    template = "{% for each in messages %}<s>{{ each.role }}: {{ each.content }}</s>{% endfor %}"
    (folder / "chat_template.jinja").write_text(template)
    with serving(root, tmp_path / "log", OBSERVATORY_MODELS_DIR=str(tmp_path / "models")) as address:
        page = browser.new_page(base_url=address)
        visit(page, "/?model=tiny-llama&text=A+cat.")
        plain = page.locator(".token").count()
        page.get_by_label("As a chat message").check()
        page.get_by_label("System message").fill("A mat.")
        page.locator("#run").click()
        expect_address(page, chat="1", system="A mat.")
        until(page, "(count) => document.querySelectorAll('.token').length > count + 4", arg=plain)
        expect(page.locator("#predictions")).to_contain_text("The answer begins here.")
        expect(page.locator("#predictions .reads button")).to_have_count(0)
        page.locator("#same-code > summary").click()
        code = page.locator("#code code")
        expect(code).to_contain_text("apply_chat_template(messages, tokenize=False, add_generation_prompt=True)")
        query = parameters(page)
        analysis = Observatory(address).analyse(query["text"], "tiny-llama", chat=True, system_text="A mat.")
        layer, number = int(query["layer"]), int(query["head"])
        assert (code.text_content() or "").startswith(analysis.code(layer, number))
        found: dict[str, Any] = {}
        with torch.enable_grad():  # the code turns gradients off, and this process goes on
            exec((code.text_content() or "").replace('"tiny-llama"', repr(str(folder))), found)  # noqa: S102 - our own code
        np.testing.assert_allclose(found["weights"].numpy(), analysis.weights(layer, number), atol=1e-5)
        page.get_by_label("With our Python client").check()
        expect(code).to_contain_text('model="tiny-llama", chat=True, system_text="A mat.")')
        page.reload()
        expect(page.get_by_label("As a chat message")).to_be_checked()
        until(page, "(count) => document.querySelectorAll('.token').length > count + 4", arg=plain)
        answer = page.request.get(f"/api/analyses/{analysis.id}/export?format=html&layer={layer}&head={number}")
        (tmp_path / "chat.html").write_bytes(answer.body())
        saved = browser.new_page()
        saved.goto((tmp_path / "chat.html").as_uri())
        expect(saved.locator(".token")).to_have_count(len(analysis.answer["tokens"]))
        expect(saved.locator("#predictions")).to_contain_text("After")
        saved.context.close()
        page.get_by_label("Text", exact=True).fill("The cat sat on the mat. " * 30)
        page.locator("#run").click()
        page.get_by_role("button", name="Use the first 64 tokens").click()
        expect(page.locator(".field-error:visible")).to_have_count(0)
        until(page, "() => new URLSearchParams(location.search).get('text').length > 100")
        kept = Observatory(address).analyse(parameters(page)["text"], "tiny-llama", chat=True, system_text="A mat.")
        assert 60 < len(kept.answer["tokens"]) <= 64
        choose_model(page, DECODER)
        expect(page.get_by_label("As a chat message")).to_be_hidden()
        expect_address(page, model=DECODER, chat=None)
        page.context.close()
