"""As much JQL as the tests ask, with the site's errors and its way with times.

A time in quotes is read in the time zone of the account, to the minute; a bare number is
epoch milliseconds and means the same everywhere.
https://support.atlassian.com/jira-software-cloud/docs/jql-fields/ (“Updated”),
https://confluence.atlassian.com/jirakb/ “Timezone in JQL” (read 2026-12-01)
"""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import datetime
from zoneinfo import ZoneInfo

from tests.vendors.jira.state import Issue, Site

Matches = Callable[[Issue], bool]
_ORDER = re.compile(r"\s*ORDER\s+BY\s+key\s+ASC\s*$", re.IGNORECASE)


class BadJql(Exception):
    pass


def parsed(jql: str, site: Site, account_zone: ZoneInfo) -> Matches:
    """Return what a query finds. Raises BadJql with the site's words."""
    conditions = _ORDER.sub("", jql).strip()
    if not conditions:
        raise BadJql("Unbounded JQL queries are not allowed here.")
    clauses = [_clause(part, site, account_zone) for part in _split(conditions)]
    return lambda issue: all(clause(issue) for clause in clauses)


def _split(text: str) -> list[str]:
    """Split at AND outside brackets."""
    parts, depth, piece = [], 0, ""
    for token in re.split(r"(\(|\)|\sAND\s)", text):
        depth += (token == "(") - (token == ")")
        if token.strip() == "AND" and depth == 0:
            parts.append(piece)
            piece = ""
        else:
            piece += token
    return [part.strip() for part in [*parts, piece]]


def _clause(text: str, site: Site, zone: ZoneInfo) -> Matches:
    if text.startswith("(") and text.endswith(")"):
        inner = [_clause(part, site, zone) for part in _split(text[1:-1])]
        return lambda issue: all(clause(issue) for clause in inner)
    if match := re.fullmatch(r"updated >= (\d+)", text):
        since = int(match[1])
        return lambda issue: site.searched_updated(issue) >= since
    if match := re.fullmatch(r'updated >= "([^"]+)"', text):
        moment = datetime.strptime(match[1], "%Y-%m-%d %H:%M").replace(tzinfo=zone)
        since = int(moment.timestamp() * 1000)
        return lambda issue: site.searched_updated(issue) >= since
    if match := re.fullmatch(r"project (not )?in \(([^)]*)\)", text):
        ids = {_project(name.strip(' "'), site) for name in match[2].split(",")}
        is_not = bool(match[1])
        return lambda issue: (issue.project in ids) != is_not
    if match := re.fullmatch(r"issuetype (!?=) (\w+)", text):
        is_same, kind = match[1] == "=", match[2]
        return lambda issue: (issue.kind == kind) == is_same
    if text == "attachments is not EMPTY":
        return lambda issue: bool(issue.attachments)
    raise BadJql(f"Error in the JQL Query: “{text}” is not understood.")


def _project(name: str, site: Site) -> str:
    for project in site.projects.values():
        if name in (project.id, project.key) and not project.is_hidden:
            return project.id
    raise BadJql(f"The value '{name}' does not exist for the field 'project'.")
