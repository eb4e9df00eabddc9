import pytest
from django.urls import reverse

from bots.models import Exchange
from connectors.models import SyncIssue, SyncRun
from tests.bots.worlds import content_of, make_document
from tests.browser.conftest import NARROW, WIDE, eventually

pytestmark = [pytest.mark.integration, pytest.mark.django_db(transaction=True)]

EACH = [
    pytest.param(viewport, scheme, id=f"{viewport['width']}-{scheme}")
    for viewport in (WIDE, NARROW)
    for scheme in ("light", "dark")
]
WORD = "y" * 300
TABLE = "\n".join([f"| {' | '.join(f'Column {n} ' * 3 for n in range(12))} |"] * 2)


@pytest.fixture
def wide_document(document):
    content = content_of(f"# {WORD}\n\n{WORD}\n\n{TABLE}\n\n- {WORD}\n")
    return make_document(
        document.source, f"{WORD}.md", title=WORD, content=content, status="archived"
    )


@pytest.fixture
def console_pages(document, alice):
    """Return the console's pages, each with something on it."""
    exchange = Exchange.objects.create(
        platform="web",
        thread="t",
        question=WORD,
        reply=WORD,
        state="done",
        outcome="failed",
        person=alice,
        account=alice.account,
    )
    run = SyncRun.objects.create(
        source=document.source, state="failed", message="Gone."
    )
    SyncIssue.objects.create(run=run, severity="error", reason="damaged", message="It.")
    rows = {
        "connectors_source": document.source_id,
        "connectors_document": document.pk,
        "connectors_syncrun": run.pk,
        "bots_exchange": exchange.pk,
        "connectors_person": alice.pk,
    }
    changes = [reverse(f"admin:{name}_change", args=[pk]) for name, pk in rows.items()]
    lists = [reverse(f"admin:{name}_changelist") for name in rows]
    add = reverse("admin:connectors_source_add")
    return [reverse("admin:index"), *lists, *changes, add]


@pytest.mark.parametrize(("viewport", "scheme"), EACH)
def test_a_document_s_page_is_never_wider_than_the_window(
    window, wide_document, viewport, scheme
):
    shown = window(viewport, color_scheme=scheme)
    page = shown.open(f"/d/{wide_document.id}")
    assert shown.overflow() <= 0
    table = page.get_by_role("region", name="Table")
    inner, outer = table.evaluate("node => [node.scrollWidth, node.clientWidth]")
    assert inner > outer
    table.focus()
    page.keyboard.press("ArrowRight")
    eventually(lambda: table.evaluate("node => node.scrollLeft"))


@pytest.mark.parametrize(("viewport", "scheme"), EACH)
def test_text_stands_out_from_its_ground(window, document, viewport, scheme):
    page = window(viewport, color_scheme=scheme).open(f"/d/{document.id}")
    colours = page.evaluate(
        """() => ["h1", "p.quiet", "a", "th"].map(name => {
            let node = document.querySelector("main " + name)
                || document.querySelector(name);
            const ink = getComputedStyle(node).color;
            let ground = "rgba(0, 0, 0, 0)";
            while (ground === "rgba(0, 0, 0, 0)") {
                ground = getComputedStyle(node).backgroundColor;
                node = node.parentElement;
            }
            return [ink, ground];
        })"""
    )
    assert all(contrast(ink, ground) >= 4.5 for ink, ground in colours)


def contrast(first: str, second: str) -> float:
    """Return the contrast of two CSS colours (WCAG 2.2, relative luminance)."""
    low, high = sorted((luminance(first), luminance(second)))
    return (high + 0.05) / (low + 0.05)


def luminance(colour: str) -> float:
    parts = [float(part) / 255 for part in colour[4:-1].split(",")]
    red, green, blue = (
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4
        for part in parts
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


@pytest.mark.parametrize(("viewport", "scheme"), [EACH[0], EACH[-1]])
def test_console_pages_fit_and_log_no_error(window, console_pages, viewport, scheme):
    shown = window(viewport, color_scheme=scheme)
    for address in console_pages:
        shown.open(address)
        assert (address, max(0, shown.overflow())) == (address, 0)


def test_signing_in_leads_to_the_empty_page(window, alice):
    shown = window(NARROW)
    shown.page.context.clear_cookies()
    page = shown.open("/")
    assert shown.overflow() <= 0
    page.get_by_label("Name or address").fill("alice")
    page.get_by_label("Password").fill("s3cret")
    page.keyboard.press("Enter")
    page.get_by_role("textbox", name="Your question").wait_for()


def test_nothing_moves_for_those_who_asked_for_that(window, document):
    page = window(reduced_motion="reduce").open("/")
    page.evaluate(
        "document.getElementById('thread').append("
        "document.getElementById('pending').content.cloneNode(true))"
    )
    dots = page.locator("#thread .dots")
    assert dots.evaluate("node => getComputedStyle(node).animationName") == "none"
