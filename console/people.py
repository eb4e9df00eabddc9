"""People, their identities and groups: who may see what, and who is whom."""

from __future__ import annotations

from django.contrib import admin
from django.contrib.auth.admin import GroupAdmin as DjangoGroupAdmin
from django.contrib.auth.models import Group as Permissions
from django.contrib.auth.models import User
from django.db.models import Count, QuerySet
from django.http import HttpRequest
from unfold.forms import AdminPasswordChangeForm, UserChangeForm, UserCreationForm

from connectors.models import Group, IdentityLink, Membership, Person
from console.themed import ModelAdmin, TabularInline, UserAdmin, display


class LinkInline(TabularInline):
    """A person's accounts at sources and platforms."""

    model = IdentityLink
    extra = 0


class MembershipInline(TabularInline):
    """A person's groups."""

    model = Membership
    extra = 0
    autocomplete_fields = ("group",)


@admin.register(Person)
class PersonAdmin(ModelAdmin):
    """Linking a console account to a person decides what that account may read."""

    list_display = ("name", "email", "is_employee", "account", "groups_counted")
    list_filter = ("is_employee", ("account", admin.EmptyFieldListFilter))
    list_select_related = ("account",)
    search_fields = ("name", "email", "links__email", "links__account_id")
    autocomplete_fields = ("account",)
    inlines = (LinkInline, MembershipInline)
    show_full_result_count = False

    def get_queryset(self, request: HttpRequest) -> QuerySet[Person]:
        """Return people with the number of their groups."""
        rows: QuerySet[Person] = super().get_queryset(request)
        return rows.annotate(group_count=Count("groups"))

    @display(description="Groups", ordering="group_count")
    def groups_counted(self, person: Person) -> int:
        """Return how many groups the person is in."""
        return int(getattr(person, "group_count", 0))


@admin.register(IdentityLink)
class IdentityLinkAdmin(ModelAdmin):
    """An account of a person elsewhere."""

    list_display = ("account_id", "origin", "email", "person", "created_at")
    list_filter = ("origin",)
    list_select_related = ("person",)
    search_fields = ("account_id", "email", "person__name", "person__email")
    autocomplete_fields = ("person",)
    ordering = ("origin", "account_id")
    show_full_result_count = False


@admin.register(Group)
class GroupAdmin(ModelAdmin):
    """A group at a source; only its name and whether it's everybody are changed here."""

    list_display = ("display_name", "principal", "is_everybody", "members_counted")
    list_filter = ("is_everybody",)
    search_fields = ("name", "principal")
    ordering = ("name", "principal")
    readonly_fields = ("principal",)
    show_full_result_count = False

    def get_queryset(self, request: HttpRequest) -> QuerySet[Group]:
        """Return groups with the number of their members."""
        rows: QuerySet[Group] = super().get_queryset(request)
        return rows.annotate(member_count=Count("members"))

    def has_add_permission(self, request: HttpRequest) -> bool:
        """Groups come from sources."""
        return False

    @display(description="Group", ordering="name")
    def display_name(self, group: Group) -> str:
        """Return the name, or the principal where there's none."""
        return str(group)

    @display(description="Members", ordering="member_count")
    def members_counted(self, group: Group) -> int:
        """Return how many people are in it."""
        return int(getattr(group, "member_count", 0))


@admin.register(Membership)
class MembershipAdmin(ModelAdmin):
    """Who is in which group."""

    list_display = ("person", "group")
    list_select_related = ("person", "group")
    search_fields = ("person__name", "person__email", "group__name", "group__principal")
    autocomplete_fields = ("person", "group")
    show_full_result_count = False


admin.site.unregister([User, Permissions])


@admin.register(User)
class AccountAdmin(UserAdmin, ModelAdmin):
    """Accounts that sign in here; a person decides what they may read."""

    form = UserChangeForm
    add_form = UserCreationForm
    change_password_form = AdminPasswordChangeForm
    list_display = (
        "username",
        "email",
        "linked_to",
        "is_staff",
        "is_active",
        "last_login",
    )
    list_select_related = ("person",)

    @display(description="Person")
    def linked_to(self, account: User) -> str:
        """Return the person, or a hint that the account may read nothing."""
        person = getattr(account, "person", None)
        return str(person) if person else "nobody: may read nothing"


@admin.register(Permissions)
class PermissionsAdmin(DjangoGroupAdmin, ModelAdmin):
    """Groups of permissions in the console; they grant no documents."""
