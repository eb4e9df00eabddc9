"""What single statements of the evidence say beside the question.

The vectors of most statements are kept from the sync, so that nothing is encoded here
but the question, which the search has encoded already.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np

from memory.answering.units import Kind, units_of
from memory.documents import Evidence
from memory.embedding import Embedder, kept_vectors

#: How many best statements are asked whether they stand in one document.
_FIRST = 8
_MEAN_OF = 3


def statement_features(
    text: str, evidence: Sequence[Evidence], embedder: Embedder
) -> dict[str, float]:
    """Return the raw features of the evidence's statements; {} where none is kept.

    `statement_top` is the best cosine with the question in [-1, 1], `statement_third`
    the mean of the best three, `statement_document` the share in (0, 1] of the best
    eight that stand in the first one's document.
    """
    owners: list[int] = []
    texts: list[str] = []
    for card, item in enumerate(evidence):
        for unit in units_of(card, item):
            if unit.kind is not Kind.HEADER:
                texts += unit.statements
                owners += [card] * len(unit.statements)
    kept = kept_vectors(embedder, texts)
    found = [at for at, statement in enumerate(texts) if statement in kept]
    if not found:
        return {}
    question = embedder.embed_queries([text])[0]
    cosines = np.stack([kept[texts[at]] for at in found]) @ question
    order = np.argsort(-cosines, kind="stable")
    best = cosines[order]
    documents = [evidence[owners[found[at]]].document_id for at in order[:_FIRST]]
    return {
        "statement_top": float(best[0]),
        "statement_third": float(best[:_MEAN_OF].mean()),
        "statement_document": Counter(documents)[documents[0]] / len(documents),
    }
