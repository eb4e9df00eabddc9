"""From a Confluence site to an answer: synced, asked, and only by who may see it."""

import pytest

from connectors.access import SqlAuthority, scope_of
from connectors.models import Group, Person
from connectors.registry import connector_for
from connectors.syncing import Index, run_sync
from memory.building import Builder
from memory.documents import Outcome, Question
from memory.encoders import PackagedMiniLM
from memory.stores.embedded_place import EmbeddedPlace
from memory.systems import Parts, default_chunker, default_extractor, pipeline

pytestmark = [pytest.mark.integration, pytest.mark.model]

WARRANTY = "How long does the warranty of the core router last?"
DISCOUNT = "What discount does the vendor give?"


def fill(state):
    """Make a page for all of the staff, and one below a page that HR alone may view."""
    table = (
        "<table><tr><th>Device</th><th>Warranty</th></tr>"
        "<tr><td>Core router</td><td>36 months from the day of delivery</td></tr></table>"
    )
    page = state.add(
        "HR",
        "Network devices",
        "<h1>Warranty</h1><p>The warranty of the core router lasts 36 months from the "
        f"day of delivery.</p>{table}",
    )
    hidden = state.add("HR", "Contracts", "<p>Contracts of vendors.</p>")
    state.restrict(hidden, groups=["g-hr"])
    state.add(
        "HR",
        "Router vendor",
        "<p>The vendor's discount is 17 percent.</p>",
        parent=hidden.id,
    )
    return page


def link_people(connector, *accounts):
    """Make people of accounts, and put them into the groups that the site tells."""
    people = {
        name: Person.objects.create(name=name, is_employee=True) for name in accounts
    }
    for membership in connector.memberships():
        row = Group.objects.create(principal=membership.group, name=membership.name)
        row.members.set(people[m] for m in membership.members if m in people)
    return people


def test_a_synced_site_answers_with_links_to_who_may_see_it(site, tmp_path):
    page = fill(site.state)
    options = site.options()
    site.source.options = {
        "deployment": "cloud" if options.is_cloud else "data_center",
        "base_url": options.base_url,
        "email": options.email,
        "token": options.token,
    }
    site.source.save()
    encoder = PackagedMiniLM()
    store = EmbeddedPlace(tmp_path / "store", encoder.name, encoder.dimensions).open()
    builder = Builder(default_chunker(), default_extractor(), encoder, store)
    connector = connector_for(site.source)
    run = run_sync(site.source, connector, Index(builder, store))
    assert (run.state, run.counts["indexed"]) == ("succeeded", 3)
    people = link_people(connector, "u-ada", "u-bob")
    asked = pipeline(Parts(store, encoder, authority=SqlAuthority()), "megamem")

    def ask(text, reader):
        answer = asked.ask(Question(text, scope_of(people[reader])))
        return answer, " ".join(card.text for card in answer.evidence)

    answer, _ = ask(WARRANTY, "u-bob")
    assert answer.outcome is Outcome.ANSWERED
    assert "36 months" in answer.text
    assert answer.documents[0].url.startswith(options.base_url)
    assert page.id in answer.documents[0].url
    for reader, sees in (("u-ada", True), ("u-bob", False)):
        assert ("17 percent" in ask(DISCOUNT, reader)[1]) is sees
    # The page moves from under the restricted one: after the next run all may read it.
    site.state.move(site.state.items[max(site.state.items)], None)
    run_sync(site.source, connector_for(site.source), Index(builder, store))
    assert "17 percent" in ask(DISCOUNT, "u-bob")[1]
