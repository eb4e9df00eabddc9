"""JSON of the site's resources, written from the vendor's pages.

Cloud: https://developer.atlassian.com/cloud/jira/platform/rest/v3/ ; Data Center:
https://developer.atlassian.com/server/jira/platform/rest/v11001/ (read 2026-12-01).
Each function names the part that it is from.
"""

from __future__ import annotations

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

from tests.vendors.jira.state import (
    Attachment,
    Comment,
    Grant,
    Issue,
    Project,
    Site,
    User,
)


class Payloads:
    """Renders one site's state as one deployment does."""

    def __init__(self, site: Site, base: str) -> None:
        self.site = site
        self.base = base
        self.is_cloud = True
        self.account_zone = ZoneInfo("UTC")
        self.server_zone = ZoneInfo("UTC")
        self.hides_emails = False
        #: A field configuration hides the level, so it isn't told.
        self.hides_levels = False
        #: Comments inside an issue: no more are told there, the newest of them.
        self.embedded_comments = 100

    def moment(self, ms: int, zone: ZoneInfo | None = None) -> str:
        """Times are told in the account's zone, as 2026-03-02T21:00:00.000+0900."""
        found = datetime.fromtimestamp(ms / 1000, UTC).astimezone(
            zone or self.account_zone
        )
        return f"{found:%Y-%m-%dT%H:%M:%S}.{ms % 1000:03d}{found:%z}"

    def user(self, user: User) -> dict:
        """“Users”, the user object."""
        email = {} if self.hides_emails else {"emailAddress": user.email}
        shared = {"displayName": user.name, "active": user.is_active, **email}
        if self.is_cloud:
            return {"accountId": user.id, "accountType": user.kind, **shared}
        return {"key": user.id, "name": user.login, **shared}

    def user_named(self, id_: str) -> dict | None:
        return self.user(self.site.users[id_]) if id_ in self.site.users else None

    def project(self, project: Project) -> dict:
        """“Projects”, the project object with expand=lead."""
        lead = self.user_named(project.lead)
        return {
            "self": f"{self.base}/project/{project.id}",
            "id": project.id,
            "key": project.key,
            "name": project.name,
            "projectTypeKey": project.kind,
            "archived": False,
            **({"lead": lead} if lead else {}),
        }

    def issue(self, issue: Issue, fields: set[str]) -> dict:
        """“Issues”, the issue object; `fields` are those asked for."""
        told = {
            name: value for name, value in self._fields(issue).items() if name in fields
        }
        return {
            "expand": "renderedFields,names,schema",
            "id": issue.id,
            "self": f"{self.base}/issue/{issue.id}",
            "key": issue.key,
            "fields": told,
        }

    def _fields(self, issue: Issue) -> dict:
        site = self.site
        linked = [
            {
                "id": str(number),
                "type": {
                    "name": "Blocks",
                    "inward": "is blocked by",
                    "outward": relation,
                },
                "outwardIssue": {
                    "key": key,
                    "fields": {
                        "summary": "SECRET OF ANOTHER ISSUE",
                        "status": {"name": "Done"},
                    },
                },
            }
            for number, (relation, key) in enumerate(issue.links)
        ]
        level = (
            {"id": issue.level, "name": f"Level {issue.level}"} if issue.level else None
        )
        fields = {
            "summary": issue.summary,
            "description": issue.description,
            "project": self.project(site.projects[issue.project]),
            "issuetype": {"name": issue.kind},
            "status": {"name": issue.status},
            "resolution": {"name": issue.resolution} if issue.resolution else None,
            "priority": {"name": issue.priority},
            "labels": issue.labels,
            "components": [{"name": name} for name in issue.components],
            "fixVersions": [],
            "assignee": self.user_named(issue.assignee),
            "reporter": self.user_named(issue.reporter),
            "security": level,
            "issuelinks": linked,
            "subtasks": [],
            "created": self.moment(issue.created),
            "updated": self.moment(issue.updated),
            "comment": self.embedded(issue),
            "attachment": [self.attachment(item) for item in issue.attachments],
        }
        if self.hides_levels:
            del fields["security"]
        if issue.parent:
            fields["parent"] = {
                "key": issue.parent,
                "fields": {"summary": "SECRET PARENT"},
            }
        for name, values in issue.custom.items():
            fields[name] = [self._custom(value) for value in values]
        return fields

    def _custom(self, value: str) -> dict | None:
        if value in self.site.users:
            return self.user_named(value)
        group = self.site.groups[value]
        return {"name": group.name, **({"groupId": group.id} if self.is_cloud else {})}

    def embedded(self, issue: Issue) -> dict:
        """The field `comment`: cut off where there are many, with their true number."""
        newest = (
            issue.comments[-self.embedded_comments :] if self.embedded_comments else []
        )
        return {
            "comments": [self.comment(item, issue) for item in newest],
            "self": f"{self.base}/issue/{issue.id}/comment",
            "maxResults": len(newest),
            "total": len(issue.comments),
            "startAt": 0,
        }

    def comment(
        self, comment: Comment, issue: Issue, *, properties: bool = False
    ) -> dict:
        """“Issue comments”, the comment object."""
        told = {
            "id": comment.id,
            "author": self.user_named(comment.author),
            "body": comment.body,
            "created": self.moment(comment.created),
            "updated": self.moment(comment.updated),
        }
        if comment.role:
            told["visibility"] = {"type": "role", "value": comment.role}
        if comment.group:
            name = self.site.groups[comment.group].name
            told["visibility"] = {"type": "group", "value": name}
        if self.is_cloud and "visibility" in told:
            told["visibility"]["identifier"] = comment.group or comment.role
        return told | self._publicness(comment, issue, properties=properties)

    def _publicness(self, comment: Comment, issue: Issue, *, properties: bool) -> dict:
        """Cloud has `jsdPublic`; Data Center a property, which must be asked for."""
        if comment.tells_nothing:
            return {}
        if self.is_cloud:
            return {"jsdPublic": comment.is_public}
        is_desk = self.site.projects[issue.project].kind == "service_desk"
        if not properties or not is_desk:
            return {}
        value = {"internal": not comment.is_public}
        return {"properties": [{"key": "sd.public.comment", "value": value}]}

    def attachment(self, attachment: Attachment) -> dict:
        """“Issue attachments”, the attachment object."""
        path = (
            f"/rest/api/3/attachment/content/{attachment.id}"
            if self.is_cloud
            else f"/secure/attachment/{attachment.id}/{attachment.name}"
        )
        return {
            "id": attachment.id,
            "filename": attachment.name,
            "author": self.user_named(attachment.author),
            "created": self.moment(attachment.created),
            "size": len(attachment.data),
            "mimeType": "application/octet-stream",
            "content": f"{self.base}{path}",
        }

    def holder(self, grant: Grant) -> dict:
        """“Permission schemes”, the holder object.

        Cloud: a group's name in `parameter`, its id in `value`; else the same in both.
        Data Center has `parameter` alone.
        """
        told = {"type": grant.kind}
        if grant.of:
            group = self.site.groups.get(grant.of) if grant.kind == "group" else None
            told["parameter"] = group.name if group else grant.of
            if self.is_cloud:
                told["value"] = grant.of
        return told

    def scheme(self, project: Project) -> dict:
        """“Project permission schemes”, Get assigned permission scheme."""
        grants = [
            {"id": number, "holder": self.holder(grant), "permission": permission}
            for permission, held in project.scheme.items()
            for number, grant in enumerate(held)
        ]
        return {"id": int(project.id), "name": "A scheme", "permissions": grants}

    def role(self, project: Project, role_id: str) -> dict:
        """“Project roles”, Get project role for project."""
        actors = []
        for id_ in sorted(project.role_users.get(role_id, ())):
            user = self.site.users[id_]
            actor = {"displayName": user.name, "type": "atlassian-user-role-actor"}
            if self.is_cloud:
                actor["actorUser"] = {"accountId": user.id}
            else:
                actor["name"] = user.login
            actors.append(actor)
        for id_ in sorted(project.role_groups.get(role_id, ())):
            group = self.site.groups[id_]
            actor = {
                "displayName": group.name,
                "type": "atlassian-group-role-actor",
                "name": group.name,
            }
            inner = {"name": group.name, "displayName": group.name}
            actor["actorGroup"] = (
                {**inner, "groupId": group.id} if self.is_cloud else inner
            )
            actors.append(actor)
        role = self.site.roles[role_id]
        return {"id": int(role_id), "name": role.name, "actors": actors}
