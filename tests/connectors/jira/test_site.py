"""The vendor's JSON to values: what each shape means, and what is no such thing."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from connectors.jira.schemes import Holder, holder_of
from connectors.jira.site import (
    IssueLink,
    Project,
    User,
    comments_of,
    issue_of,
    project_of,
    user_of,
)

DESK = Project("1", "HELP", is_service_desk=True)
PLAIN = Project("2", "OPS")


def comment(project=PLAIN, **fields):
    [found] = comments_of([{"id": "7", **fields}], project)
    return found


def test_a_user_is_named_by_account_id_then_key_then_name():
    cloud = {"accountId": "5b1", "displayName": "Ada", "emailAddress": "a@x.test"}
    assert user_of(cloud) == User("5b1", "Ada", "a@x.test")
    center = {"key": "JIRAUSER1", "name": "ada", "displayName": "Ada"}
    assert user_of(center) == User("JIRAUSER1", "Ada")
    assert user_of({"name": "ada"}) == User("ada", "ada")
    assert user_of({"displayName": "Nobody"}) is None
    assert user_of(None) is None


@pytest.mark.parametrize(
    ("fields", "is_public"),
    [
        ({"jsdPublic": False}, False),
        ({"jsdPublic": True}, True),
        ({}, None),
        ({"properties": []}, None),
        ({"properties": [{"key": "other", "value": {"internal": False}}]}, None),
        *(
            (
                {
                    "properties": [
                        {"key": "sd.public.comment", "value": {"internal": value}}
                    ]
                },
                told,
            )
            for value, told in (
                *((True, False), ("true", False), (False, True), ("false", True)),
                *((None, None), ([], None), ("perhaps", None)),
            )
        ),
        ({"properties": [{"key": "sd.public.comment", "value": "broken"}]}, None),
    ],
)
def test_an_internal_comment_is_told_by_flag_or_property(fields, is_public):
    assert comment(DESK, **fields).is_public is is_public


def test_outside_service_desks_a_comment_that_says_nothing_is_like_its_issue():
    assert comment(PLAIN).is_public is True
    assert comment(PLAIN, jsdPublic=False).is_public is False
    unclear = {"key": "sd.public.comment", "value": {"internal": "perhaps"}}
    assert comment(PLAIN, properties=[unclear]).is_public is None


@pytest.mark.parametrize(
    "visibility",
    [
        {"type": "organisation", "value": "x"},
        {"type": "role"},
        {"value": "x"},
        {"type": "group", "value": ""},
        {"type": ["role"], "value": "x"},
    ],
)
def test_a_visibility_that_nobody_knows_is_strange(visibility):
    found = comment(visibility=visibility)
    assert found.is_strange
    assert found.is_restricted


def test_a_group_is_named_by_its_id_and_a_role_by_its_name():
    group = {"type": "group", "value": "hr", "identifier": "276f955c"}
    assert comment(visibility=group).group == "276f955c"
    assert comment(visibility={"type": "group", "value": "hr"}).group == "hr"
    role = {"type": "role", "value": "Administrators", "identifier": "Administrators"}
    assert comment(visibility=role).role == "Administrators"


def test_a_holder_is_named_by_what_does_not_change():
    cloud = {"type": "group", "parameter": "hr", "value": "276f955c"}
    assert holder_of(cloud) == Holder("group", "276f955c")
    assert holder_of({"type": "group", "parameter": "hr"}) == Holder("group", "hr")
    expanded = {"type": "group", "parameter": "hr", "group": {"groupId": "276f955c"}}
    assert holder_of(expanded) == Holder("group", "276f955c")
    user = {
        "type": "user",
        "parameter": "ada",
        "user": {"key": "JIRAUSER1", "name": "ada"},
    }
    assert holder_of(user) == Holder("user", "JIRAUSER1")
    assert holder_of({"type": "reporter"}) == Holder("reporter")
    assert holder_of(None) == Holder("")


def test_links_tell_relation_and_key():
    link = {"type": {"inward": "is blocked by", "outward": "blocks"}}
    issue = issue_of(
        {
            "id": "1",
            "key": "OPS-1",
            "fields": {
                "project": {"id": "2", "key": "OPS"},
                "parent": {"key": "OPS-9"},
                "subtasks": [{"key": "OPS-2"}],
                "issuelinks": [
                    {**link, "inwardIssue": {"key": "OPS-3"}},
                    {**link, "outwardIssue": {"key": "OPS-4"}},
                    {"outwardIssue": {"key": "OPS-5"}},
                    {**link},
                ],
            },
        },
        {},
    )
    assert list(issue.links) == [
        IssueLink("is part of", "OPS-9"),
        IssueLink("has the part", "OPS-2"),
        IssueLink("is blocked by", "OPS-3"),
        IssueLink("blocks", "OPS-4"),
        IssueLink("relates to", "OPS-5"),
    ]


def test_an_answer_of_an_id_alone_is_no_issue():
    assert issue_of({"id": "1"}, {}) is None
    assert issue_of({"id": "1", "fields": {}}, {}) is None


def test_what_is_known_of_a_project_counts_more_than_what_an_issue_says():
    value = {"id": "1", "key": "X-1", "fields": {"project": {"id": "1", "key": "X"}}}
    assert issue_of(value, {"1": DESK}).project == DESK


shapes = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                [
                    "id",
                    "key",
                    "name",
                    "value",
                    "type",
                    "comment",
                    "comments",
                    "total",
                    "fields",
                    "project",
                    "attachment",
                    "author",
                    "visibility",
                    "properties",
                    "summary",
                    "security",
                    "links",
                    "issuelinks",
                    "lead",
                ]
            ),
            inner,
            max_size=6,
        )
    ),
    max_leaves=20,
)


@given(shapes)
def test_no_shape_of_an_answer_raises(shape):
    value = {
        "id": "1",
        "key": "A-1",
        "fields": {"project": {"id": "1"}, "comment": shape},
    }
    fields = shape if isinstance(shape, dict) else {}
    for candidate in (value, {"id": "1", "fields": {**fields, "project": {"id": "1"}}}):
        issue = issue_of(candidate, {})
        assert list(issue.links) is not None
        assert isinstance(issue.summary, str)
        assert isinstance(issue.level_id, str)
    user_of(shape)
    holder_of(shape)
    comments_of(shape, DESK)
    project_of(fields)
