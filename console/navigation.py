"""The console's side bar and first page, as the theme's settings take them."""

from __future__ import annotations

from typing import Any

from django.urls import reverse_lazy


def _item(title: str, icon: str, page: str, permission: str) -> dict[str, Any]:
    return {
        "title": title,
        "icon": icon,
        "link": reverse_lazy(f"admin:{page}_changelist"),
        "permission": f"console.navigation.may_{permission}",
    }


def _may(name: str) -> Any:
    def check(request: Any) -> bool:
        return bool(request.user.has_perm(name))

    return check


may_see_sources = _may("connectors.view_source")
may_see_documents = _may("connectors.view_document")
may_see_runs = _may("connectors.view_syncrun")
may_see_issues = _may("connectors.view_syncissue")
may_see_questions = _may("bots.view_exchange")
may_see_feedback = _may("bots.view_feedback")
may_see_policy = _may("memory.view_answerpolicy")
may_see_calibrations = _may("memory.view_calibration")
may_see_people = _may("connectors.view_person")
may_see_groups = _may("connectors.view_group")
may_see_links = _may("connectors.view_identitylink")
may_see_accounts = _may("auth.view_user")

OVERVIEW = {
    "title": "Overview",
    "icon": "dashboard",
    "link": reverse_lazy("admin:index"),
}

ASK = {
    "title": "Ask a question",
    "icon": "search",
    "link": reverse_lazy("web:ask"),
    # Its address begins every other one, so the theme would mark it always.
    "active": False,
}

SIDEBAR: dict[str, Any] = {
    "show_search": False,
    "show_all_applications": False,
    "navigation": [
        {"items": [OVERVIEW, ASK]},
        {
            "title": "Documents",
            "separator": True,
            "items": [
                _item("Sources", "database", "connectors_source", "see_sources"),
                _item(
                    "Documents", "description", "connectors_document", "see_documents"
                ),
                _item("Sync runs", "sync", "connectors_syncrun", "see_runs"),
                _item("Issues", "report", "connectors_syncissue", "see_issues"),
            ],
        },
        {
            "title": "Questions",
            "separator": True,
            "items": [
                _item("Questions", "forum", "bots_exchange", "see_questions"),
                _item("Feedback", "thumbs_up_down", "bots_feedback", "see_feedback"),
                _item("Answer policy", "rule", "memory_answerpolicy", "see_policy"),
                _item("Calibrations", "tune", "memory_calibration", "see_calibrations"),
            ],
        },
        {
            "title": "People",
            "separator": True,
            "items": [
                _item("People", "person", "connectors_person", "see_people"),
                _item("Groups", "group", "connectors_group", "see_groups"),
                _item("Identities", "badge", "connectors_identitylink", "see_links"),
                _item("Accounts", "key", "auth_user", "see_accounts"),
            ],
        },
    ],
}

DASHBOARD_CALLBACK = "console.overview.overview"
