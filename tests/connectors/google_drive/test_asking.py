"""From a Google Workspace to an answer: synced, asked, and only by who may see it."""

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
from tests.vendors.google.editors import heading, paragraph, tab, table
from tests.vendors.google.state import DOC, Grant

pytestmark = [pytest.mark.integration, pytest.mark.model]

WARRANTY = "How long does the warranty of the core router last?"
DISCOUNT = "What discount does the vendor give?"
BOB, CY = "bob@example.com", "cy@example.com"


def fill(space, team):
    """Make a document for the team, and one in a folder that a group alone may open."""
    notes = tab("Notes", paragraph("We met on Monday and spoke about devices."))
    devices = tab(
        "Network devices",
        heading("Warranty", 1, "h.warranty"),
        paragraph(
            "The warranty of the core router lasts 36 months from the day of delivery."
        ),
        table(["Device", "Warranty"], ["Core router", "36 months from delivery"]),
        id_="t.1",
    )
    document = space.add("Devices", mime=DOC, drive=team, content=[notes, devices])
    space.add_group("buyers", CY)
    contracts = space.folder("Contracts", drive=team)
    contracts.is_limited = True
    contracts.grants.append(Grant("group", "buyers@example.com"))
    space.add(
        "Vendor.txt", parent=contracts, data="The vendor's discount is 17 percent."
    )
    return document, contracts


def link_people(connector, *emails):
    """Make people of addresses, and put them into the groups that the source tells."""
    people = {
        email: Person.objects.create(name=email, email=email, is_employee=True)
        for email in emails
    }
    for membership in connector.memberships():
        row = Group.objects.create(principal=membership.group, name=membership.name)
        row.members.set(people[m] for m in membership.members if m in people)
    return people


def test_a_synced_drive_answers_with_links_to_who_may_see_it(drive, team, tmp_path):
    document, contracts = fill(drive.space, team)
    drive.source.options = drive.values()
    drive.source.save()
    encoder = PackagedMiniLM()
    store = EmbeddedPlace(tmp_path / "store", encoder.name, encoder.dimensions).open()
    builder = Builder(default_chunker(), default_extractor(), encoder, store)
    connector = connector_for(drive.source)
    run = run_sync(drive.source, connector, Index(builder, store))
    assert (run.state, run.counts["indexed"]) == ("succeeded", 2)
    people = link_people(connector, BOB, CY)
    asked = pipeline(Parts(store, encoder, authority=SqlAuthority()), "megamem")

    def ask(text, reader):
        answer = asked.ask(Question(text, scope_of(people[reader])))
        return answer, " ".join(card.text for card in answer.evidence)

    # The second tab holds it (C40).
    answer, _ = ask(WARRANTY, BOB)
    assert answer.outcome is Outcome.ANSWERED
    assert "36 months" in answer.text
    url = f"https://docs.google.com/document/d/{document.id}/edit"
    assert answer.documents[0].url == url
    # Bob is a member of the drive, but the folder has limited access.
    for reader, sees in ((CY, True), (BOB, False)):
        assert ("17 percent" in ask(DISCOUNT, reader)[1]) is sees
    assert ask(WARRANTY, CY)[0].outcome is not Outcome.FAILED
    drive.space.limit(contracts, is_limited=False)
    run_sync(drive.source, connector_for(drive.source), Index(builder, store))
    assert "17 percent" in ask(DISCOUNT, BOB)[1]
