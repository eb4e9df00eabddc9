"""What is asked for and read, against the vendor's own discovery documents."""

import json
from pathlib import Path

import googleapiclient.discovery_cache
import pytest

from connectors.google_drive import sheets, values
from connectors.google_drive.values import Permission, change_of, drive_of, file_of
from tests.vendors.google.masks import parsed

DOCUMENTS = Path(googleapiclient.discovery_cache.__file__).parent / "documents"

MASKS = [
    ("drive.v3", "File", values.WHOLE),
    ("drive.v3", "File", values.READERS),
    ("drive.v3", "File", values.PLACE),
    ("drive.v3", "Permission", values.PERMISSION),
    ("drive.v3", "Drive", values.DRIVE),
    ("sheets.v4", "Spreadsheet", sheets.SHEETS),
]


def check(schemas, schema, mask, path=""):
    """Fail for a name that a schema doesn't know: Google answers 400 to one."""
    properties = schema.get("properties", {})
    for name, inner in mask.items():
        assert name in properties, f"{path}{name}"
        found = properties[name].get("items", properties[name])
        found = schemas.get(found.get("$ref", ""), found)
        if inner is not None:
            check(schemas, found, inner, f"{path}{name}.")


@pytest.mark.parametrize(("document", "name", "mask"), MASKS, ids=range(len(MASKS)))
def test_masks_name_what_the_vendor_s_discovery_documents_know(document, name, mask):
    schemas = json.loads((DOCUMENTS / f"{document}.json").read_text())["schemas"]
    check(schemas, schemas[name], parsed(mask))


@pytest.mark.parametrize("reading", [file_of, drive_of, change_of])
def test_json_of_another_shape_is_read_as_empty(reading):
    names = ("id", "name", "parents", "permissions", "owners", "file", "drive", "size")
    for wrong in (3, [3], {"id": [3]}, None):
        reading(dict.fromkeys(names, wrong))


def test_a_permission_s_doubts_are_no_grants():
    file = file_of({"id": "x", "permissions": [{"id": "1", "type": "user"}]})
    assert file.permissions == (Permission("1", "user", ""),)
    assert file.permissions[0].is_direct is False


def test_links_say_nothing_of_whoever_copied_them():
    for url, expected in (
        (
            "https://docs.google.com/document/d/a/edit?usp=drivesdk",
            "https://docs.google.com/document/d/a/edit",
        ),
        (
            "https://docs.google.com/document/d/a/edit?usp=x&resourcekey=0-b&ouid=3",
            "https://docs.google.com/document/d/a/edit?resourcekey=0-b",
        ),
        ("javascript:alert(1)", ""),
        ("https://[", ""),
    ):
        assert file_of({"id": "a", "webViewLink": url}).url == expected
