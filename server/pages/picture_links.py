"""Pictures in the prose: where a sentence speaks of a picture, its words are a link that shows it.

In a text that goes through the filter ``pictures``, ``((view=group&query=5|as written))`` is such a reference: a state
of the page, as in its address, and the words that stand for it.
"""

import re
from collections.abc import Callable
from html import unescape
from urllib.parse import parse_qsl, urlencode

from markupsafe import Markup, escape

USE = re.compile(r"\(\(([a-z]\w*=[^|()\s]*)\|(.+?)\)\)", re.DOTALL)


def picture_links(lang: str) -> Callable[[str], Markup]:
    """The filter that makes links of a text's references; ``js/concepts/frame/story.js`` lets them act in place.

    It comes before those for mathematics and terms, which leave tags alone: ``scores=10_1`` is no subscript.
    """

    def pictures(text: str) -> Markup:
        html = str(text if isinstance(text, Markup) else escape(text))
        return Markup(USE.sub(link, html))  # noqa: S704 - `text` was escaped or markup, and the rest is ours

    def link(use: re.Match[str]) -> str:
        address = urlencode([*parse_qsl(unescape(use[1]), strict_parsing=True), ("lang", lang)])
        return f'<a class="picture-link" data-state href="?{escape(address)}">{use[2]}</a>'

    return pictures
