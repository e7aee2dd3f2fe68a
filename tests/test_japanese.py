"""The rules of docs/japanese.md that a machine can check, on every Japanese text."""

import re

import pytest
from babel.messages.pofile import read_po

from server.pages.glossary import TERMS, USE
from server.pages.picture_links import USE as PICTURE
from server.web.i18n import LOCALES

WORDS = r"ぁ-んァ-ヶー一-龥々"
SIGNS = r"±√½¼∞°∂‖θωγ⁰¹²³⁴⁵⁶⁷⁸⁹₀₁₂₃ₖ"
COUNTED = r"つ|個|本|組|行(?!う)|列|語|文(?![章字法])|文字|枚|倍|回|桁|層|番|種類|次元|成分|乗(?!平均)|周|位置"
PAIR = r"\([\d−½][^()]*,[^()]*\)"
PLACEHOLDER = r"\{(?!(?:what|stage|repeated|still|why)\})\w+\}"
"""Those named here stand for Japanese words."""
RULES = {
    "だ・である": r"(です|ます|ません|ました|ましょう|でした|でしょう|ください)[かねよが]?(?=[。、？！)」(：…\s]|$)",
    "half-width brackets": r"[（）]",
    "half-width digits and letters": r"[０-９Ａ-Ｚａ-ｚ]",
    "full-width colons and question marks": rf"[{WORDS}」][:?](?!\w)",
    "a space between Japanese and Latin": rf"[{WORDS}][A-Za-z0-9]|[A-Za-z0-9][{WORDS}]",
    "a space between Japanese and mathematical signs": rf"[{WORDS}](?:[±√½¼∂‖θωγ]|−[\d∞])|[{SIGNS}][{WORDS}]",
    "a space between Japanese and a pair of numbers": rf"[{WORDS}]{PAIR}|(?:^| ){PAIR}[{WORDS}]",
    "a space between Japanese and a placeholder": rf"[{WORDS}]{PLACEHOLDER}|{PLACEHOLDER}[{WORDS}]",
    "no space between Japanese words": rf"[{WORDS}] [ぁ-んァ-ヶ一-龥々]",
    "no space before a bracket in Japanese": rf"[{WORDS}] \([{WORDS}]",
    "no space before an ellipsis": rf"[{WORDS}] …",
    "a question that ends in か ends in 。": r"か？",
    "「」 for quotations": r"[“”]",
    "〜": r"[～~]",
    "figures for what is counted": rf"(?<![何数])[一二三四五六七八九十千]+(?:{COUNTED})",
    "アテンション": r"注意(機構|の層|を払)",
    "アーキテクチャ": r"アーキテクチャー",
    "インダクションヘッド": r"誘導ヘッド",
    "サイン, コサイン": r"正弦(?!波)|余弦",
    "セルフアテンション": r"自己(アテンション|注意)",
    "ペア": r"(?:各|の|[ぁ-ん、])対(?=[でをがのはに、：。 ]|$)|成分を対",
    "ペナルティー": r"減点|ペナルティ(?!ー)",
    "Transformer": r"トランスフォーマー",
    "ほか": r"(?<!その)他の",
    "誰": r"だれ(か|が|の|に|を|も)",
    "もつ": r"(?<!手に)持(つ|たない|てる)",
    "わかる": r"(?<!部)分か(る|らな|った|って)",
    "位置エンコーディング": r"位置符号",
    "重み付き": r"加重",
    "自前の, このサイト": r"この製品|本サイト|自作の",
    "アテンションマップ": r"地図",
    "セル": r"升",
    "コピー": r"複[写製]",
    "デコーダー, エンコーダー": r"[デエ]ンコーダ(?!ー)|デコーダ(?!ー)",
    "ヘッド数": r"ヘッド一覧",
    "漏れる": r"洩れ",
    "ライブラリ": r"ライブラリー",
    "パディング": r"詰め物",
    "パラメーター": r"パラメータ(?!ー)|費用",
    "プレフィックス": r"接頭部",
    "スライディングウィンドウ": r"スライド窓|滑る窓",
    "学習": r"訓練",
    "重み": r"ウェイト",
    "e^スコア": r"スコアの指数|指数の和|指数関数：",
}
"""What is written → what must not be found instead."""
EXAMPLES = [
    "the cat sat on the mat",
    "The cat sat",
    "The cat",
    "The cat sat on",
    "The cat sat on the mat",
    "the dog chased the cat",
    "the cat saw the dog",
    "cat sat mat",
    "cat sat mat it",
    "noun verb pronoun living cat mat",
    "The cat sat on the mat because it was tired.",
    "which had been out in heavy rain all night and caught nothing but a cold plus one very small mouse that got away "
    "again before dawn then slept until noon under our old apple tree while nobody ever noticed anything",
]
"""Words of our own mechanisms, separated by blanks. A model's own examples stay English: they are its vocabulary."""
MARKUP = re.compile(r"<[^>]*>|https?://\S+")


@pytest.fixture(scope="module")
def texts() -> list[str]:
    """Each Japanese text as it is read: a term without its own words appears by its name."""
    with (LOCALES / "ja" / "LC_MESSAGES" / "messages.po").open("rb") as file:
        found = {one.id: one.string for one in read_po(file, locale="ja") if isinstance(one.string, str) and one.string}
    names = {term.id: found.get(term.name, term.name) for term in TERMS}
    prose = [text for english, text in found.items() if english not in EXAMPLES]
    return [MARKUP.sub("", USE.sub(lambda use: use[2] or names[use[1]], PICTURE.sub(r"\2", text))) for text in prose]


@pytest.mark.parametrize("words", EXAMPLES)
def test_an_example_gives_the_same_numbers_in_japanese(words: str) -> None:
    """Its random vectors follow from which words are equal, so these must be the same ones."""

    def numbered(text: str) -> list[int]:
        names = text.split()
        return [names.index(name) for name in names]

    with (LOCALES / "ja" / "LC_MESSAGES" / "messages.po").open("rb") as file:
        message = read_po(file, locale="ja").get(words)
    assert message is not None
    assert isinstance(message.string, str)
    assert message.string != words
    assert numbered(message.string) == numbered(words)


@pytest.mark.parametrize("rule", RULES)
def test_every_text_keeps_the_rule(texts: list[str], rule: str) -> None:
    assert [text for text in texts if re.search(RULES[rule], text)] == []


@pytest.mark.parametrize(
    ("rule", "wrong"),
    [
        ("half-width brackets", "外積（積）"),
        ("a space between Japanese and Latin", "ヘッド8個"),
        ("full-width colons and question marks", "合計: 1"),
        ("デコーダー, エンコーダー", "デコーダの層"),
        ("学習", "訓練する"),
        ("だ・である", "読みます。"),
        ("figures for what is counted", "一つのキー"),
        ("a space between Japanese and a placeholder", "エントロピー{entropy}"),
        ("a space between Japanese and mathematical signs", "45°の向き"),
        ("no space between Japanese words", "クエリ と"),
        ("ペナルティー", "距離への減点"),
    ],
)
def test_the_rules_find_what_they_forbid(rule: str, wrong: str) -> None:
    assert re.search(RULES[rule], wrong)


TERM = (
    "ペア|スコア|ヘッド|トークン|キー|クエリ|バリュー|ソフトマックス|ベクトル|アテンション|マスク|コピー|"
    "セル|コサイン|サイン"
)
BEFORE = "各|全|両|回|化|因果|矢印|特殊|単位|構文|入力|合成|位置|先頭|内積|加法|開始|固定長|平均|頻出|零|複数|構成|単語"
AFTER = "数|埋|残差|列|類似度|後|側|以外|経由|以上|以下|計算|前|中|自身|分|間|内|用|方式|化|済|変|延|表|操作"
"""Words of one or more kanji that form a compound with a term. Another one is often what a blind replacement of a
shorter word leaves (反対側 → 反ペアの側, e の x 乗 → e をスコア乗); add it here if it is a word."""


def test_no_term_was_put_into_another_word(texts: list[str]) -> None:
    found = [
        (match[1] or match[2], text)
        for text in texts
        for match in re.finditer(rf"([一-龥々]+)(?=(?:{TERM})(?![ァ-ヶー]))|(?<![ァ-ヶー])(?:{TERM})([一-龥々]+)", text)
        if not re.fullmatch(BEFORE if match[1] else AFTER, match[1] or match[2])
    ]
    assert found == []
