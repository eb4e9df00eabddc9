"""Users, groups and application roles."""

from __future__ import annotations

from tests.vendors.jira.listing import Listing, refused
from tests.vendors.loopback import Asked, Reply


class PeopleApi(Listing):
    """“Users”, “Groups”, “Application roles”."""

    most_viewers = 100
    most_users = 1000

    def _users(self, asked: Asked) -> Reply:
        """“Users”: a bare list; it ends with an empty page."""
        if not self.may_browse_users:
            return refused(403, "You do not have permission to browse users.")
        told = [self.payloads.user(user) for user in self.site.users.values()]
        if not self.is_cloud:
            # All have a dot in their address; without a word there's nobody.
            is_all = asked.query.get("username") == "."
            told = [user for user in told if user["active"] and is_all]
            told = told[: self.most_users]
        return Reply(self._cut(asked, told)[1])

    def _viewers(self, asked: Asked) -> Reply:
        """“user/viewissue/search” of Data Center: a hundred at most."""
        if not self.may_browse_users:
            return refused(403, "You do not have permission to browse users.")
        key = asked.query.get("issueKey", "")
        [issue] = [item for item in self.site.issues.values() if item.key == key]
        found = [u for u in self.site.users.values() if self.site.may_see(u.id, issue)]
        if asked.query.get("username") != ".":
            found = []
        most = min(self.most_viewers, int(asked.query.get("maxResults", 50)))
        return Reply([self.payloads.user(user) for user in found][:most])

    def _groups_bulk(self, asked: Asked) -> Reply:
        if not self.may_browse_users:
            return refused(403, "You do not have permission to browse groups.")
        told = [{"groupId": g.id, "name": g.name} for g in self.site.groups.values()]
        return self._values(asked, told)

    def _groups_picker(self, _: Asked) -> Reply:
        told = [{"name": group.name} for group in self.site.groups.values()]
        return Reply({"header": "Showing groups", "total": len(told), "groups": told})

    def _group_members(self, asked: Asked) -> Reply:
        """Data Center tells the members of subgroups too; an admin alone may ask."""
        if not (self.may_browse_users if self.is_cloud else self.is_admin):
            return refused(403, "You do not have permission to see groups.")
        id_ = asked.query.get("groupId") or asked.query.get("groupname") or ""
        if id_ not in self.site.groups:
            return refused(404, f"The group named '{id_}' does not exist.")
        members = sorted(self.site.members_of(id_))
        return self._values(
            asked, [self.payloads.user(self.site.users[m]) for m in members]
        )

    def _applications(self, _: Asked) -> Reply:
        if not self.is_admin:
            return refused(403, "Only administrators may see application roles.")
        return Reply(
            [
                {
                    "key": key,
                    "name": key,
                    "groups": [self.site.groups[g].name for g in sorted(groups)],
                    **(
                        {
                            "groupDetails": [
                                {"groupId": g, "name": self.site.groups[g].name}
                                for g in sorted(groups)
                            ]
                        }
                        if self.is_cloud
                        else {}
                    ),
                }
                for key, groups in self.site.applications.items()
            ]
        )
