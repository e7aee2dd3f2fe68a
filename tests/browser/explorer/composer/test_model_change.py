"""Another model: the same words stay chosen, and a vocabulary that does not know the script is said."""

import re
from pathlib import Path

from driving import choose_example, choose_model, expect_address, visit
from playwright.sync_api import Browser, Page, expect
from serving import serving
from tiny_models import write_model_folder

DECODER = "observatory-gpt2-mini"


def test_the_same_words_stay_chosen_and_an_unknown_script_is_said(page: Page) -> None:
    visit(page)
    expect_address(page, layer="5", head="11", query="8", key="2")  # it → cat, behind [CLS]
    warnings = page.locator("#progress .warnings")
    expect(warnings).to_be_hidden()
    choose_model(page, DECODER)
    expect(page.locator("#grid-size")).to_have_text("6 layers × 6 heads")
    expect_address(page, model=DECODER, query="7", key="1")
    head = page.evaluate("() => Number(new URLSearchParams(location.search).get('head'))")
    assert head < 6
    choose_example(page, "Arabic")
    expect(warnings).to_have_text(re.compile(r"^\d\d of 73 tokens are single bytes: .* hardly knows this script\.$"))


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
        page.wait_for_function("(count) => document.querySelectorAll('.token').length > count + 4", arg=plain)
        expect(page.locator("#same-code")).to_be_hidden()
        page.reload()
        expect(page.get_by_label("As a chat message")).to_be_checked()
        page.wait_for_function("(count) => document.querySelectorAll('.token').length > count + 4", arg=plain)
        choose_model(page, DECODER)
        expect(page.get_by_label("As a chat message")).to_be_hidden()
        expect_address(page, model=DECODER, chat=None)
        page.context.close()
