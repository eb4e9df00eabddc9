"""What holds for every Content."""

from __future__ import annotations

from memory.documents import BlockKind, Content


def check_content(content: Content) -> None:
    """Assert the invariants that chunking and links rely on."""
    _check_sections(content)
    _check_blocks(content)
    for link in content.links:
        assert 0 <= link.start < link.end <= len(content.text)
        assert link.url
        assert any(b.start <= link.start and link.end <= b.end for b in content.blocks)


def _check_sections(content: Content) -> None:
    position = 0
    for section in content.sections:
        assert section.start == position
        assert section.end > section.start
        position = section.end
    assert position == len(content.text)
    headings = [b for b in content.blocks if b.kind is BlockKind.HEADING]
    titled = [s for s in content.sections if s.level > 0]
    assert [b.start for b in headings] == [s.start for s in titled]
    for block, section in zip(headings, titled, strict=True):
        line = content.text[block.start : block.end]
        assert line == "#" * min(section.level, 6) + " " + section.path[-1]


def _check_blocks(content: Content) -> None:
    position = 0
    ends = iter([(s.start, s.end) for s in content.sections])
    start, end = next(ends, (0, 0))
    header = ""
    for block in content.blocks:
        text = content.text[block.start : block.end]
        assert position <= block.start < block.end <= len(content.text)
        assert not content.text[position : block.start].strip()
        while block.start >= end:
            start, end = next(ends)
        assert start <= block.start
        assert block.end <= end
        assert text.strip() == text or block.kind is BlockKind.LIST_ITEM
        if block.kind is BlockKind.TABLE_HEADER:
            header = text
        elif block.kind is BlockKind.TABLE_ROW:
            assert block.header in ("", header)
        if block.kind in (BlockKind.TABLE_HEADER, BlockKind.TABLE_ROW):
            assert "\n" not in text
        position = block.end
    assert not content.text[position:].strip()


def blocks(content: Content, kind: BlockKind) -> list[str]:
    """Return the texts of all blocks of a kind."""
    return [content.text[b.start : b.end] for b in content.blocks if b.kind is kind]


def anchors(content: Content) -> list[tuple[str, str]]:
    """Return each link as its text and target."""
    return [(content.text[x.start : x.end], x.url) for x in content.links]
