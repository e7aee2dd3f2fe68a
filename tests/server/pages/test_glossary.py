"""The glossary: its terms, their cards in texts, and its page."""

import re
from pathlib import Path

import pytest
import torch
from babel.messages.pofile import read_po
from markupsafe import Markup
from transformers import ViTConfig, ViTModel

from server.pages.glossary import BY_ID, TERMS, USE, term_cards
from server.pages.pages import TEMPLATES
from server.pages.site import PAGES
from server.web.i18n import LOCALES

terms = term_cards(lambda text: text)


def test_each_term_is_defined_once_and_leads_to_a_page_that_exists() -> None:
    assert len(BY_ID) == len(TERMS)
    assert {term.page for term in TERMS} <= {"", *(page.stem for page in PAGES if page.group)}


def test_a_use_has_a_card_with_its_definition() -> None:
    html = terms(Markup("A [[mask]] and [[score|scores]]."))
    assert re.findall(r'class="term-word"[^>]*>(.*?)<', html) == ["mask", "scores"]
    labels = re.findall(r'aria-describedby="(.*?)"', html)
    assert labels == re.findall(r'role="tooltip" id="(.*?)"', html)
    assert len(set(labels)) == 2
    assert BY_ID["mask"].definition.split(".")[0] in html


def test_text_is_escaped_and_an_unknown_term_is_refused() -> None:
    assert terms("a < b") == "a &lt; b"
    with pytest.raises(KeyError):
        terms("[[no-such-term]]")


@pytest.mark.parametrize("path", sorted(LOCALES.glob("*/LC_MESSAGES/messages.po")), ids=lambda path: path.parts[-3])
def test_translations_use_the_same_terms(path: Path) -> None:
    with path.open("rb") as file:
        texts = [(str(one.id), str(one.string)) for one in read_po(file) if one.id and isinstance(one.id, str)]
    for english, translated in texts:
        used = {use[1] for use in USE.finditer(translated)}
        assert used == {use[1] for use in USE.finditer(english)}, english
        assert used <= set(BY_ID), english


def test_templates_use_terms_that_exist() -> None:
    for path in TEMPLATES.rglob("*.html"):
        if path.parent.name == "frame" or path.name == "frame.html":
            continue
        assert {use[1] for use in USE.finditer(path.read_text(encoding="utf-8"))} <= set(BY_ID), path.name


@pytest.mark.parametrize("lang", ["en", "ja"])
def test_the_page_defines_every_term(client, lang: str) -> None:
    html = client.get(f"/glossary?lang={lang}").text
    assert set(re.findall(r'class="glossary-term" id="(.*?)"', html)) == set(BY_ID)
    assert "[[" not in html


def test_a_patch_is_found_by_its_key_and_passes_on_its_value() -> None:
    said, usual = BY_ID["patch"].definition, ViTConfig()
    side, image = usual.patch_size, usual.image_size
    assert f"{image} × {image} pixels in squares of {side} × {side} are {(image // side) ** 2} patches" in said
    small = {"hidden_size": 12, "num_attention_heads": 3, "intermediate_size": 7, "num_hidden_layers": 1}
    config = ViTConfig(**small, image_size=15, patch_size=5, attn_implementation="eager")
    torch.manual_seed(0)
    model = ViTModel(config, add_pooling_layer=False).eval()
    projections = {name.rpartition(".")[2]: module for name, module in model.named_modules()}
    image_given = torch.rand(1, 3, 15, 15)
    values: list[torch.Tensor] = []
    projections["v_proj"].register_forward_hook(lambda _module, _args, output: values.append(output))

    def weights_with_another(name: str) -> torch.Tensor:
        with torch.no_grad():
            projections[name].weight.normal_()
            return model(image_given, output_attentions=True).attentions[0]

    weights, same, changed = (weights_with_another(name) for name in ("q_proj", "v_proj", "k_proj"))
    torch.testing.assert_close(same, weights, rtol=0, atol=0)
    assert (values[1] - values[0]).abs().max() > 0.1
    torch.testing.assert_close(values[2], values[1], rtol=0, atol=0)
    assert (changed - weights).abs().max() > 0.1
