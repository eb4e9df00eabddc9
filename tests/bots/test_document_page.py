import uuid

import pytest

from bots.asking import Incoming, answer_exchange, receive
from bots.models import Exchange
from connectors.models import Document, Group, Membership
from memory.access import ANYONE, NOBODY_RULE, AccessRule, group, person
from memory.documents import Block, BlockKind, Content, Evidence, Link, Sentence
from tests.bots.pages import page, without_tokens
from tests.bots.worlds import (
    abstained,
    answered,
    content_of,
    make_document,
    make_person,
    make_source,
)


def text_of(client, document, query=""):
    response = client.get(f"/d/{document.id}{query}")
    assert response.status_code == 200
    return page(response)


def test_it_shows_title_source_path_date_and_text(signed_in, document):
    text = text_of(signed_in, document)
    assert "<h1>Equipment policy</h1>" in text
    assert "<dd>Handbook</dd>" in text
    assert "<dd>policies/equipment.md</dd>" in text
    assert 'title="1 November 2026, 09:30 UTC">1 November 2026</time>' in text
    assert '<h2 id="s-equipment-policy">Equipment policy</h2>' in text
    assert "<ul><li>Your manager approves it.</li><li>IT orders it" in text
    assert '<th scope="col">Model</th>' in text
    assert "<td>Light</td><td>900</td>" in text


def test_the_original_is_linked_where_a_browser_may_open_it(signed_in, source):
    document = make_document(source, url="https://wiki.example/1")
    assert 'href="https://wiki.example/1" rel="noopener noreferrer"' in text_of(
        signed_in, document
    )


def test_an_address_that_is_a_script_is_not_linked(signed_in, source):
    document = make_document(source, url="javascript:alert(1)")
    assert "javascript:" not in text_of(signed_in, document)


@pytest.mark.parametrize(
    ("status", "words"),
    [("archived", "is archived"), ("draft", "is a draft"), ("superseded", "newer")],
)
def test_a_document_that_no_longer_answers_says_so(signed_in, source, status, words):
    text = text_of(signed_in, make_document(source, status=status))
    assert words in text
    assert "36 months" in text


def test_a_document_that_is_missing_at_its_source_says_so(signed_in, source):
    assert "missing at its source" in text_of(
        signed_in, make_document(source, state="held")
    )


class TestAccess:
    """Not allowed and not there are the same page."""

    @pytest.fixture
    def missing(self, signed_in):
        return signed_in.get(f"/d/{uuid.uuid4()}")

    def refused(self, client, document, missing):
        response = client.get(f"/d/{document.id}")
        assert response.status_code == missing.status_code == 404
        assert without_tokens(response) == without_tokens(missing)

    def test_another_person_s_document(self, signed_in, source, missing):
        bob = make_person("bob")
        document = make_document(source, rule=AccessRule.of([person(bob.id)]))
        self.refused(signed_in, document, missing)

    @pytest.mark.parametrize("rule", [NOBODY_RULE, AccessRule.of([])])
    def test_nobody_s_document(self, signed_in, source, missing, rule):
        self.refused(signed_in, make_document(source, rule=rule), missing)

    def test_a_document_without_a_rule(self, signed_in, document, missing):
        Document.objects.update(rule=None)
        self.refused(signed_in, document, missing)

    @pytest.mark.parametrize("state", ["skipped", "failed", "removed"])
    def test_a_document_that_is_not_indexed(self, signed_in, source, missing, state):
        self.refused(signed_in, make_document(source, state=state), missing)

    def test_every_layer_counts(self, signed_in, alice, source, missing):
        principal = group(source.id, "7")
        rule = AccessRule.of([person(alice.id)], [principal])
        document = make_document(source, rule=rule)
        self.refused(signed_in, document, missing)
        row = Group.objects.create(principal=principal)
        Membership.objects.create(group=row, person=alice)
        assert text_of(signed_in, document)

    def test_a_guest_reads_what_is_for_anyone(self, client, source):
        client.force_login(make_person("guest", employee=False).account)
        document = make_document(source, rule=AccessRule.of([ANYONE]))
        assert text_of(client, document)

    def test_a_superuser_reads_no_more_than_as_a_person(self, client, source, db):
        root = make_person("root", is_staff=True, is_superuser=True)
        client.force_login(root.account)
        document = make_document(source, rule=AccessRule.of([person(uuid.uuid4())]))
        assert client.get(f"/d/{document.id}").status_code == 404

    def test_it_is_never_kept_by_a_cache(self, signed_in, document):
        response = signed_in.get(f"/d/{document.id}")
        assert "no-store" in response["Cache-Control"]


class TestText:
    """The text of documents is data."""

    def test_nothing_in_it_becomes_markup(self, signed_in, source):
        evil = "<script>alert(1)</script>{% now 'Y' %}\" onmouseover=x "
        lines = (evil, f"# {evil}", f"- {evil}", f"| {evil} |\n| {evil} |")
        document = make_document(
            source, content=content_of("\n\n".join(lines)), title=evil, author=evil
        )
        text = text_of(signed_in, document)
        assert "<script>alert" not in text
        assert text.count("&lt;script&gt;alert(1)&lt;/script&gt;{% now") >= 5
        assert '" onmouseover' not in text

    def test_what_no_block_covers_is_shown_too(self, signed_in, source):
        content = Content(
            "Before.\n\nIn a block.\n\nAfter.\n",
            blocks=(Block(BlockKind.PARAGRAPH, 9, 20),),
        )
        text = text_of(signed_in, make_document(source, content=content))
        assert "<p>Before.</p><p>In a block.</p><p>After.</p>" in text

    def test_nested_lists_and_numbers_are_kept(self, signed_in, source):
        body = "3. Three\n  - Inner\n4. Four\n"
        kinds = [(0, 8, 0), (9, 18, 1), (19, 26, 0)]
        blocks = tuple(
            Block(BlockKind.LIST_ITEM, start, end, depth=depth)
            for start, end, depth in kinds
        )
        document = make_document(source, content=Content(body, blocks=blocks))
        assert (
            '<ol><li value="3">Three<ul><li>Inner</li></ul></li>'
            '<li value="4">Four</li></ol>'
        ) in text_of(signed_in, document)

    def test_code_is_shown_without_its_fences(self, signed_in, source):
        body = "```sh\nmake <all>\n```\n"
        block = Block(BlockKind.CODE, 0, len(body) - 1)
        document = make_document(source, content=Content(body, blocks=(block,)))
        assert "<code>make &lt;all&gt;</code>" in text_of(signed_in, document)

    def test_a_quote_loses_its_marks(self, signed_in, source):
        body = "> One.\n> Two.\n"
        block = Block(BlockKind.QUOTE, 0, len(body) - 1)
        document = make_document(source, content=Content(body, blocks=(block,)))
        assert "<blockquote><p>One. Two.</p>" in text_of(signed_in, document).replace(
            "One.Two.", "One. Two."
        )

    def test_a_document_without_text_says_so(self, signed_in, source):
        document = make_document(source, content=Content(""))
        assert "No text was found" in text_of(signed_in, document)


def with_link(source, url, external_id="policies/a.md", **values):
    body = "See the other page now."
    content = Content(
        body,
        blocks=(Block(BlockKind.PARAGRAPH, 0, len(body)),),
        links=(Link(8, 18, url),),
    )
    return make_document(source, external_id, content=content, **values)


class TestLinks:
    @pytest.mark.parametrize(
        "url",
        ["https://example.org/x?y=1", "http://example.org", "mailto:a@example.org"],
    )
    def test_web_and_mail_links_lead_out(self, signed_in, source, url):
        assert (
            f'See the <a href="{url}" rel="noopener noreferrer">other page</a> now.'
        ) in text_of(signed_in, with_link(source, url))

    @pytest.mark.parametrize(
        "url",
        [
            "javascript:alert(1)",
            " JaVaScRiPt:alert(1)",
            "java\nscript:alert(1)",
            "data:text/html,<script>",
            "vbscript:x",
            "file:///etc/passwd",
            "//evil.example/x",
            "\\\\evil.example\\x",
            "http://[broken",
            "../../outside.md",
            "missing.md",
            "#missing",
            "",
        ],
    )
    def test_any_other_link_is_plain_text(self, signed_in, source, url):
        assert "<p>See the other page now.</p>" in text_of(
            signed_in, with_link(source, url)
        )

    @pytest.mark.parametrize(
        "url",
        [
            "../teams/b.md",
            "/teams/b.md",
            "../teams/b",
            "../teams/./b.md?x=1",
            "../teams/%62.md",
        ],
    )
    def test_a_relative_link_leads_to_the_page_here(self, signed_in, source, url):
        other = make_document(source, "teams/b.md")
        assert f'<a href="/d/{other.id}"' in text_of(signed_in, with_link(source, url))

    def test_a_folder_leads_to_its_index(self, signed_in, source):
        other = make_document(source, "teams/_index.md")
        text = text_of(signed_in, with_link(source, "/teams/#people"))
        assert f'<a href="/d/{other.id}#s-people"' in text

    def test_a_link_to_what_may_not_be_read_is_plain_text(self, signed_in, source):
        make_document(source, "policies/b.md", rule=NOBODY_RULE)
        assert "<p>See the other page now.</p>" in text_of(
            signed_in, with_link(source, "b.md")
        )

    def test_a_link_never_leads_into_another_source(self, signed_in, source):
        make_document(make_source("Other"), "policies/b.md")
        assert "<p>See the other page now.</p>" in text_of(
            signed_in, with_link(source, "b.md")
        )


class TestPassages:
    """An evidence link jumps to the chunk, which is marked."""

    @pytest.fixture
    def exchange(self, signed_in, pipeline, document, alice):
        chunk = "- Your manager approves it.\n- IT orders it within five working days."
        cited, other = uuid.UUID(int=7), uuid.UUID(int=8)
        laptops = "Laptops are replaced after 36 months."
        evidence = (
            Evidence(other, document.id, "", laptops, tokens=9),
            Evidence(cited, document.id, "", chunk, tokens=9),
        )
        sentences = (Sentence(0, 7, (document.id,), (cited,)),)
        pipeline.answers.append(
            answered(document, evidence=evidence, sentences=sentences)
        )
        incoming = Incoming("web", str(uuid.uuid4()), "How?", alice, alice.account)
        return answer_exchange(receive(incoming).id)

    def test_the_passage_is_marked_and_has_the_anchor(
        self, signed_in, document, exchange
    ):
        text = text_of(signed_in, document, f"?exchange={exchange.id}")
        anchor = f"c-{uuid.UUID(int=7)}"
        assert f'<li><mark id="{anchor}">Your manager approves it.</mark></li>' in text
        assert "<li><mark>IT orders it within five working days.</mark></li>" in text
        assert "<p>Laptops are replaced after 36 months.</p>" in text
        assert f'<a href="#{anchor}">Go to the first</a>' in text

    def test_only_what_is_quoted_is_marked_where_all_of_it_is_found(
        self, signed_in, document, alice, pipeline
    ):
        chunk = "- Your manager approves it.\n- IT orders it within five working days."
        chunk_id = uuid.UUID(int=7)
        text = "Your manager approves it."
        pipeline.answers.append(
            answered(
                document,
                text,
                evidence=(Evidence(chunk_id, document.id, "", chunk, tokens=9),),
                sentences=(Sentence(0, len(text), (document.id,), (chunk_id,)),),
            )
        )
        incoming = Incoming("web", str(uuid.uuid4()), "Who?", alice, alice.account)
        exchange = answer_exchange(receive(incoming).id)
        shown = text_of(signed_in, document, f"?exchange={exchange.id}")
        assert f'<li><mark id="c-{chunk_id}">{text}</mark></li>' in shown
        assert "<li>IT orders it within five working days.</li>" in shown

    def test_it_leads_back_to_the_answer(self, signed_in, document, exchange):
        text = text_of(signed_in, document, f"?exchange={exchange.id}")
        assert f'<a href="/t/{exchange.thread}#e-{exchange.id}">' in text
        assert "Back to the answer" not in text_of(signed_in, document)

    def test_the_chunk_that_the_link_names_is_marked_too(
        self, signed_in, document, exchange
    ):
        query = f"?exchange={exchange.id}&chunk={uuid.UUID(int=8)}"
        text = text_of(signed_in, document, query)
        anchor = f"c-{uuid.UUID(int=8)}"
        assert f'<mark id="{anchor}">Laptops are replaced after 36 months.' in text
        assert text.count("<mark id=") == 2

    def test_a_text_that_changed_says_so(self, signed_in, source, document, exchange):
        Document.objects.filter(id=document.id).delete()
        make_document(source, content=content_of("# New\n\nAll is new.\n"))
        text = text_of(signed_in, document, f"?exchange={exchange.id}")
        assert "has changed since that answer" in text
        assert "<mark>" not in text

    def test_another_person_s_exchange_marks_nothing(self, client, document, exchange):
        client.force_login(make_person("bob").account)
        assert "<mark" not in text_of(client, document, f"?exchange={exchange.id}")

    @pytest.mark.parametrize("value", ["", "x", str(uuid.UUID(int=1))])
    def test_a_wrong_exchange_marks_nothing(self, signed_in, document, value):
        assert "<mark" not in text_of(signed_in, document, f"?exchange={value}")

    def test_an_exchange_that_is_not_answered_marks_nothing(
        self, signed_in, document, exchange
    ):
        Exchange.objects.update(answer={})
        assert "<mark" not in text_of(signed_in, document, f"?exchange={exchange.id}")


def test_a_page_costs_a_bounded_number_of_queries(
    signed_in, source, django_assert_max_num_queries
):
    body = "".join(f"[page {n}]\n\n" for n in range(300))
    links, at = [], 0
    for number in range(300):
        make_document(source, f"p{number}.md")
        links.append(Link(at, at + 5, f"p{number}.md"))
        at = body.index("\n\n", at) + 2
    document = make_document(
        source, "all.md", content=Content(body, links=tuple(links))
    )
    with django_assert_max_num_queries(12):
        assert text_of(signed_in, document).count('<a href="/d/') == 300


def test_an_abstention_offers_pages_that_open(signed_in, pipeline, document):
    pipeline.answers.append(abstained(document))
    signed_in.post("/", {"question": "Who?"})
    assert text_of(signed_in, document)
