"""From a Jira site to an answer: synced, asked, and only by who may see it."""

import pytest

from connectors.access import SqlAuthority, scope_of
from connectors.registry import connector_for
from connectors.syncing import Index, run_sync
from memory.building import Builder
from memory.documents import Outcome, Question
from memory.encoders import PackagedMiniLM
from memory.stores.embedded_place import EmbeddedPlace
from memory.systems import Parts, default_chunker, default_extractor, pipeline
from tests.connectors.jira.test_access import link_people
from tests.connectors.jira.worlds import adf
from tests.vendors.jira.server import EMAIL, TOKEN
from tests.vendors.jira.state import Grant

pytestmark = [pytest.mark.integration, pytest.mark.model]

QUESTION = "How long does the warranty of the core router last?"


@pytest.fixture
def filled(cloud, ops):
    """Return a site whose answer stands in a comment that HR alone may see."""
    site = cloud.site
    issue = site.create(
        ops,
        "Core router is out of order",
        description=adf("The core router in room 12 restarts every night."),
    )
    site.comment(
        issue,
        adf(
            "The warranty of the core router lasts 36 months from the day of delivery."
        ),
        "bob",
    )
    site.add_group("hr", "bob")
    site.comment(issue, adf("The vendor's discount is 17 percent."), "bob", group="hr")
    other = site.add_project("SEC", Grant("user", "cy"))
    site.create(
        other, "Alarm code", description=adf("The alarm code of the vault is 4711.")
    )
    return cloud


def test_a_synced_site_answers_with_links_to_who_may_see_it(filled, tmp_path):
    world = filled
    world.source.options = {
        "deployment": "cloud",
        "base_url": world.server.url,
        "email": EMAIL,
        "token": TOKEN,
    }
    world.source.save()
    encoder = PackagedMiniLM()
    store = EmbeddedPlace(tmp_path / "store", encoder.name, encoder.dimensions).open()
    builder = Builder(default_chunker(), default_extractor(), encoder, store)
    run = run_sync(world.source, connector_for(world.source), Index(builder, store))
    assert run.state == "succeeded"
    people = link_people(world)
    asked = pipeline(Parts(store, encoder, authority=SqlAuthority()), "megamem")

    def evidence(text, reader):
        answer = asked.ask(Question(text, scope_of(people[reader])))
        return answer, " ".join(card.text for card in answer.evidence)

    answer, cards = evidence(QUESTION, "ada")
    assert answer.outcome is Outcome.ANSWERED
    assert "36 months" in answer.text
    assert answer.documents[0].url == f"{world.server.url}/browse/OPS-1"
    for reader, sees in (("ada", False), ("bob", True), ("cy", False)):
        _, cards = evidence("What is the vendor's discount?", reader)
        assert ("17 percent" in cards) is sees
    for reader, sees in (("ada", False), ("bob", False), ("cy", True)):
        _, cards = evidence("What is the alarm code of the vault?", reader)
        assert ("4711" in cards) is sees
