"""A real browser against a live server with a pipeline that is told what to answer."""

import shutil
import time
import uuid

import pytest
from playwright.sync_api import expect, sync_playwright

from memory.documents import Evidence, Sentence
from tests.bots.worlds import (
    FakePipeline,
    abstained,
    answered,
    linked,
    make_document,
    make_person,
    make_source,
)

#: As deploy/system_packages.sh looks for them.
BROWSERS = ("chromium", "chromium-browser", "google-chrome")
#: Only a hang takes that long, on a machine however busy.
PATIENCE_MS = 60_000
ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
WIDE = {"width": 1440, "height": 900}
NARROW = {"width": 390, "height": 844}


@pytest.fixture(scope="module")
def chromium(django_db_setup):
    # A module's, not the session's: while it's open, Django takes this thread's code
    # for asynchronous, and other modules' tests use the database.
    path = next(filter(None, map(shutil.which, BROWSERS)), None)
    if path is None:
        pytest.skip("Chromium is not installed. On Debian: apt-get install chromium")
    expect.set_options(timeout=PATIENCE_MS)
    with pytest.MonkeyPatch.context() as patch, sync_playwright() as playwright:
        patch.setenv("DJANGO_ALLOW_ASYNC_UNSAFE", "true")
        browser = playwright.chromium.launch(executable_path=path, args=ARGUMENTS)
        yield browser
        browser.close()


@pytest.fixture
def pipeline(monkeypatch):
    fake = FakePipeline()
    monkeypatch.setattr("bots.asking.pipeline", lambda: fake)
    return fake


@pytest.fixture
def alice(transactional_db):
    return make_person("alice", is_staff=True, is_superuser=True)


@pytest.fixture
def document(transactional_db):
    return make_document(make_source())


@pytest.fixture
def long_answer(document):
    """Return an answer with a sentence, a list, a table and evidence."""
    text = (
        "Laptops are replaced after 36 months.\n\n"
        "- Your manager approves it.\n"
        "- IT orders it within five working days.\n\n"
        "| Model | Price |\n| Light | 900 |"
    )
    first, step, row = text.index("."), text.index("- IT"), text.index("| Light")
    spans = ((0, first + 1), (step, text.index("days.") + 5), (row, len(text)))
    chunk = "Laptops are replaced after 36 months."
    evidence = Evidence(
        uuid.uuid5(document.id, chunk), document.id, "Equipment policy", chunk, 9
    )
    return answered(
        document,
        text,
        sentences=tuple(Sentence(*span, (document.id,)) for span in spans),
        documents=(linked(document),),
        evidence=(evidence,),
    )


@pytest.fixture
def no_answer(document):
    return abstained(document)


def eventually(find):
    """Return what `find` finds, asking again for a minute."""
    for _ in range(1200):
        if found := find():
            return found
        time.sleep(0.05)
    raise AssertionError("It never came.")


class Window:
    """A signed-in page that notes what a reader's console would show in red."""

    def __init__(self, page, server):
        self.page = page
        self.server = server
        self.errors = []
        page.on("pageerror", lambda error: self.errors.append(str(error)))
        page.on("console", self._note)

    def _note(self, message):
        # A refused form is a 422 on purpose, and browsers log every such status.
        if message.type in ("error", "warning") and "422" not in message.text:
            self.errors.append(message.text)

    def open(self, address="/"):
        self.page.goto(self.server.url + address)
        return self.page

    def ask(self, question):
        self.page.get_by_role("textbox", name="question").fill(question)
        self.page.get_by_role("button", name="Ask", exact=True).click()

    def overflow(self):
        """Return by how many pixels the page is wider than the window."""
        return self.page.evaluate(
            "document.documentElement.scrollWidth - window.innerWidth"
        )


@pytest.fixture
def window(chromium, live_server, alice, client):
    """Return what opens signed-in windows; none may have logged an error."""
    client.force_login(alice.account)
    cookie = {
        "name": "sessionid",
        "value": client.cookies["sessionid"].value,
        "url": live_server.url,
    }
    opened = []

    def make(viewport=WIDE, **options):
        context = chromium.new_context(viewport=viewport, **options)
        context.set_default_timeout(PATIENCE_MS)
        context.add_cookies([cookie])
        opened.append((context, Window(context.new_page(), live_server)))
        return opened[-1][1]

    yield make
    for context, shown in opened:
        context.close()
        assert shown.errors == []
