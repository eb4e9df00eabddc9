import threading

import pytest
from playwright.sync_api import expect

from bots.models import Exchange, Feedback
from tests.browser.conftest import NARROW, WIDE, eventually

pytestmark = [pytest.mark.integration, pytest.mark.django_db(transaction=True)]

SIZES = pytest.mark.parametrize("viewport", [WIDE, NARROW], ids=["1440", "390"])
SCHEMES = pytest.mark.parametrize("color_scheme", ["light", "dark"])


@SIZES
@SCHEMES
def test_ask_follow_up_and_open_the_evidence(
    window, pipeline, long_answer, no_answer, document, viewport, color_scheme
):
    pipeline.answers.extend([long_answer, no_answer])
    shown = window(viewport, color_scheme=color_scheme)
    page = shown.open()
    shown.ask("How old may a laptop be?")
    expect(page.get_by_text("Quoted from the documents", exact=True)).to_be_visible()
    expect(page.get_by_role("table").first).to_be_visible()
    assert "/t/" in page.url
    assert shown.overflow() <= 0

    page.locator("summary").filter(has_text="Evidence").click()
    expect(page.get_by_role("heading", name="Equipment policy").last).to_be_visible()
    assert shown.overflow() <= 0

    shown.ask("And for interns?")
    expect(page.get_by_role("heading", name="Might help")).to_be_visible()
    assert [turn.role for turn in pipeline.asked[1].history] == ["user", "assistant"]
    threads = page.get_by_role("navigation", name="Earlier questions")
    expect(threads.get_by_role("link")).to_have_count(1)

    page.locator("summary").filter(has_text="Evidence").click()
    page.locator(".proof a").click()
    expect(page.get_by_role("heading", level=1)).to_have_text(document.title)
    expect(page.locator("mark:target")).to_be_in_viewport()
    expect(page.locator("mark:target")).to_contain_text("36 months")
    assert shown.overflow() <= 0


def tab_to(page, target, key="Shift+Tab"):
    for _ in range(40):
        if target.evaluate("node => node === document.activeElement"):
            return
        page.keyboard.press(key)
    raise AssertionError("It can't be reached by keyboard.")


@pytest.fixture
def asked_by_keyboard(window, pipeline, long_answer):
    """Return the page after a question was asked without a pointer."""
    pipeline.answers.append(long_answer)
    page = window().open()
    expect(page.get_by_role("textbox", name="Your question")).to_be_focused()
    page.keyboard.type("How old?")
    page.keyboard.press("Shift+Enter")
    page.keyboard.type("May it be?")
    page.keyboard.press("Enter")
    expect(page.get_by_role("button", name="Yes")).to_be_visible()
    return page


def test_a_question_is_asked_by_keyboard(asked_by_keyboard, pipeline):
    assert pipeline.asked[0].text == "How old?\nMay it be?"
    box = asked_by_keyboard.get_by_role("textbox", name="Ask a follow-up")
    expect(box).to_be_focused()


def test_evidence_is_opened_by_keyboard(asked_by_keyboard):
    page = asked_by_keyboard
    tab_to(page, page.locator("summary").filter(has_text="Evidence"))
    page.keyboard.press("Enter")
    expect(page.locator(".proof")).to_be_visible()
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(page.locator("mark:target")).to_be_in_viewport()


def test_a_thumb_is_given_explained_and_taken_back_by_keyboard(asked_by_keyboard):
    page = asked_by_keyboard
    no = page.get_by_role("button", name="No")
    tab_to(page, no)
    assert no.evaluate("node => getComputedStyle(node).outlineStyle") == "solid"
    page.keyboard.press("Enter")
    expect(page.get_by_role("button", name="No", pressed=True)).to_be_focused()
    assert Feedback.objects.get().value == "down"

    tab_to(page, page.get_by_label("What was wrong?"), "Tab")
    page.keyboard.type("It's out")
    page.keyboard.press("Tab")
    page.keyboard.type("It's 48 now.")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(page.get_by_text("Change your comment")).to_be_visible()
    feedback = Feedback.objects.get()
    assert (feedback.reason, feedback.comment) == ("outdated", "It's 48 now.")

    tab_to(page, page.get_by_role("button", name="Take back"))
    page.keyboard.press("Enter")
    expect(page.get_by_role("button", name="Take back")).to_have_count(0)
    assert not Feedback.objects.exists()


def test_the_first_key_skips_to_the_content(window, document):
    page = window().open(f"/d/{document.id}")
    page.keyboard.press("Tab")
    link = page.get_by_role("link", name="Skip to the content")
    expect(link).to_be_focused()
    expect(link).to_be_in_viewport()
    page.keyboard.press("Enter")
    expect(page.locator("main")).to_be_focused()


class Slow:
    """Answers when it's let go."""

    def __init__(self, answer):
        self.answer = answer
        self.go = threading.Event()
        self.asked = 0

    def ask(self, question):
        self.asked += 1
        assert self.go.wait(60)
        return self.answer


@pytest.fixture
def slow(monkeypatch, long_answer):
    pipeline = Slow(long_answer)
    monkeypatch.setattr("bots.asking.pipeline", lambda: pipeline)
    return pipeline


def test_a_sign_shows_at_once_and_a_second_press_asks_nothing(window, slow):
    shown = window()
    page = shown.open()
    shown.ask("How old?")
    expect(page.get_by_text("Searching your documents …")).to_be_visible()
    expect(page.locator("#thread h2")).to_have_text("How old?")
    expect(page.get_by_role("button", name="Ask", exact=True)).to_be_disabled()
    expect(page.get_by_role("status")).to_have_text("Searching your documents.")
    page.get_by_role("textbox", name="question").press("Enter")
    slow.go.set()
    expect(page.get_by_text("Quoted from the documents", exact=True)).to_be_visible()
    expect(page.locator("#announcer")).to_contain_text("36 months")
    expect(page.locator("#announcer")).to_have_attribute("aria-live", "polite")
    assert slow.asked == 1
    assert Exchange.objects.count() == 1


def test_another_tab_waits_for_the_answer(window, slow):
    first, second = window(), window()
    first.open()
    first.ask("How old?")
    expect(first.page.get_by_text("Searching your documents …")).to_be_visible()
    exchange = eventually(Exchange.objects.first)
    page = second.open(f"/t/{exchange.thread}")
    expect(page.get_by_text("Searching your documents …")).to_be_visible()
    slow.go.set()
    expect(page.get_by_text("Quoted from the documents", exact=True)).to_be_visible()


def test_a_refused_question_stays_in_its_box(window):
    shown = window()
    page = shown.open()
    shown.ask("?!")
    expect(page.get_by_role("alert")).to_contain_text("Please type a question")
    expect(page.get_by_role("textbox", name="question")).to_have_value("?!")
    box = page.get_by_role("textbox", name="question")
    box.fill("x" * 4100)
    expect(page.get_by_text("100 characters too many")).to_be_visible()
    box.press("Enter")
    expect(page.get_by_role("alert")).to_contain_text("at most 4,000")
    expect(page.get_by_role("textbox", name="question")).to_have_value("x" * 4100)
    assert not Exchange.objects.exists()


def test_a_lost_connection_keeps_the_question(window, pipeline, long_answer):
    pipeline.answers.append(long_answer)
    shown = window()
    page = shown.open()
    page.route("**/*", lambda route: route.abort())
    shown.ask("How old?")
    expect(page.get_by_role("alert")).to_contain_text("can't be reached")
    expect(page.get_by_role("textbox", name="question")).to_have_value("How old?")
    page.unroute("**/*")
    shown.errors.clear()
    page.get_by_role("button", name="Ask", exact=True).click()
    expect(page.get_by_text("Quoted from the documents", exact=True)).to_be_visible()


def test_a_session_that_ended_leads_to_signing_in(window, pipeline):
    shown = window()
    page = shown.open()
    page.context.clear_cookies()
    shown.ask("How old?")
    page.wait_for_url("**/sign-in/**")
    shown.errors.clear()


def test_going_back_shows_the_page_before(window, pipeline, long_answer):
    pipeline.answers.append(long_answer)
    shown = window()
    page = shown.open()
    shown.ask("How old?")
    expect(page.get_by_text("Quoted from the documents", exact=True)).to_be_visible()
    page.locator(".cite").first.click()
    expect(page.locator(".sources li:target")).to_be_visible()
    page.go_back()
    expect(page.get_by_text("Quoted from the documents", exact=True)).to_be_visible()
    page.go_back()
    expect(page.get_by_role("heading", level=1)).to_contain_text("Ask your company")


@SIZES
def test_it_works_without_javascript(window, pipeline, long_answer, viewport):
    pipeline.answers.append(long_answer)
    shown = window(viewport, java_script_enabled=False)
    page = shown.open()
    shown.ask("How old?")
    expect(page.get_by_text("Quoted from the documents", exact=True)).to_be_visible()
    page.locator("summary").filter(has_text="Evidence").click()
    expect(page.locator(".proof")).to_be_visible()
    page.get_by_role("button", name="No").click()
    page.get_by_text("Say more (optional)").click()
    page.get_by_label("What was wrong?").select_option("outdated")
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_text("Change your comment")).to_be_visible()
    assert Feedback.objects.get().reason == "outdated"
    page.get_by_role("textbox", name="follow-up").fill("And then?")
    page.get_by_role("button", name="Ask", exact=True).click()
    expect(page.locator("#thread article")).to_have_count(2)
