"""Choose the column with the texts of a table."""

from collections.abc import Sequence

from attention_core.atlas.corpus.errors import CorpusError

TEXT, ID = "text", "id"
FIELD = "column"
"""What errors name: the column that is asked for."""


def text_column(file: str, columns: Sequence[str], column: str | None) -> str:
    """Return the wanted column, else ``text``, else the only one beside ``id``.

    Raises ``CorpusError`` that names the columns there are.
    """
    texts = [name for name in columns if name != ID]
    wanted = column or (TEXT if TEXT in columns else texts[0] if len(texts) == 1 else None)
    if wanted is not None and wanted in columns:
        return wanted
    named = ", ".join(f'"{name}"' for name in columns)
    if not columns:
        raise CorpusError("{name} has no column of texts.", file, field=FIELD)
    if column is not None:
        raise CorpusError(
            '{name} has no column of texts called "{column}", but {columns}.', file, column, named, field=FIELD
        )
    raise CorpusError(
        '{name} has no column called "text", but {columns}: say which one holds the texts.', file, named, field=FIELD
    )
