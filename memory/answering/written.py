"""The answerer with a language model (A10)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from memory.documents import ABSTENTION, Evidence, Sentence, Turn
from memory.language_models.base import LanguageModel
from memory.prompts.answering import ANSWER
from memory.query.base import Draft
from memory.query.packing import Render, render_cards, render_quoted
from memory.sentences import sentence_spans

_MARKDOWN_LINK = re.compile(r"!?\[([^\]\n]*)\]\(\s*<?[^)\n]*>?\s*\)")
_REFERENCE = re.compile(r"^[ \t]*\[[^\]\n]+\]:[ \t]*\S+.*$", re.M)
_URL = re.compile(r"<?(?:[a-z][a-z0-9+.-]*://|\bwww\.|mailto:)[^\s<>\"'`]*>?", re.I)
_LETTERS = re.compile(r"[^a-z]+")


@dataclass(frozen=True, slots=True)
class WrittenAnswerer:
    """Has the model write from the evidence alone, or abstain.

    The question is the one that the thread was folded into, so no earlier turn is
    sent. `render` must be the packer's, so that what was counted is what's sent.
    """

    model: LanguageModel
    render: Render = render_quoted

    def answer(
        self, text: str, history: Sequence[Turn], evidence: Sequence[Evidence]
    ) -> Draft:
        """Return the answer, or ABSTENTION; without evidence no call is made (A10).

        Links and ids are taken out of the text: links come from code alone (see
        `without_links`). Raises LanguageModelError.
        """
        if not evidence:
            return Draft(ABSTENTION, extractive=False)
        user = render_cards({"question": text}, evidence, self.render)
        reply = self.model.text(ANSWER.request(user)).strip()
        if is_abstention(reply):
            return Draft(ABSTENTION, extractive=False)
        written = without_links(reply, evidence)
        if not written:
            return Draft(ABSTENTION, extractive=False)
        spans = sentence_spans(written)
        sentences = tuple(Sentence(*span) for span in spans)
        return Draft(written, extractive=False, sentences=sentences)


def is_abstention(reply: str) -> bool:
    """Tell whether a reply begins with the abstention, in whatever quotes or case.

    What a model adds after it isn't an answer that its evidence holds.
    """
    plain = _LETTERS.sub(" ", reply.replace("’", "'").casefold()).strip()
    wanted = _LETTERS.sub(" ", ABSTENTION.casefold()).strip()
    return plain == wanted or plain.startswith(f"{wanted} ")


def without_links(text: str, evidence: Sequence[Evidence]) -> str:
    """Return a text whose only addresses stand in the evidence as they are.

    A link keeps its words and loses its target; an address that no card holds is
    taken out, so a text in a document can't make a reply carry data or people away.
    """
    written = _MARKDOWN_LINK.sub(r"\1", text)
    written = _REFERENCE.sub("", written)
    known = "\n".join(card.text for card in evidence)

    def kept(match: re.Match[str]) -> str:
        address = match.group().strip("<>").rstrip(".,;:!?)]*_")
        return match.group() if _stands_in(address, known) else ""

    written = _URL.sub(kept, written)
    for card in evidence:
        for name in (str(card.chunk_id), str(card.document_id)):
            if name not in known:
                written = re.sub(rf"\s*[\[(]?{name}[\])]?", "", written, flags=re.I)
    lines = [re.sub(r"(?<=\S)[ \t]{2,}", " ", line) for line in written.splitlines()]
    return "\n".join(line.rstrip() for line in lines).strip()


def _stands_in(address: str, known: str) -> bool:
    """Tell whether a whole address stands in a text, not only its beginning."""
    at = known.find(address)
    while at >= 0:
        after = known[at + len(address) :][:1]
        if not after or not (after.isalnum() or after in "/?=&%#-_~@"):
            return True
        at = known.find(address, at + 1)
    return False
