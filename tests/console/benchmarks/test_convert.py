import io
import json

from console.benchmarks.convert import bench_convert
from console.benchmarks.storage_pages import PageMaker
from tests.connectors.confluence.test_storage_format import content_of


def test_convert_compares_both_on_the_same_pages():
    outcome = bench_convert(io.StringIO(), sizes_kb=(2, 5), rounds=1)
    small, large = outcome.figures["by_size_kb"].values()
    assert small["pages"] == large["pages"] == 4
    assert 8_000 < small["bytes"] < large["bytes"] < 28_000
    for pages in (small, large):
        assert pages["ratio"] == pages["parse_s"] / pages["convert_s"]
    both = [sum(p[key] for p in (small, large)) for key in ("parse_s", "convert_s")]
    assert abs(outcome.ratio - both[0] / both[1]) < 1e-9
    assert "Ratio" in outcome.as_text()
    json.dumps(outcome.figures)


def test_pages_are_the_same_each_time_and_of_the_size_asked_for():
    for size in (2_000, 20_000, 200_000):
        page = PageMaker().page(size)
        assert size <= len(page.encode()) <= 1.5 * size
        assert page == PageMaker().page(size)


def test_pages_hold_what_editors_write_and_nothing_is_lost():
    content = content_of(PageMaker().page(100_000))
    kinds = {str(block.kind) for block in content.blocks}
    assert kinds == {
        *("heading", "paragraph", "list_item", "table_header", "table_row", "code")
    }
    assert content.unhandled == {}
    assert content.links
