"""Scopes: what of rules is needed to match a store's objects."""

from uuid import UUID

from memory.access import (
    ANYONE,
    NOBODY_RULE,
    WORKSPACE,
    AccessRule,
    Scope,
    group,
    person,
)

ALICE = person(UUID(int=1))
TEAM = group("dir", "7")


def test_a_person_has_a_token_for_each_rule_of_several_layers_that_they_satisfy():
    both = AccessRule.of([TEAM], [ALICE, ANYONE])
    other = AccessRule.of([WORKSPACE], [TEAM])
    scope = Scope.of_person([ALICE, TEAM], [both, other])
    assert scope.tokens == {ALICE, TEAM, both.token}
    assert scope.admits(both)
    assert not scope.admits(other)


def test_a_rule_of_one_layer_is_matched_by_its_principals_alone():
    mail = [AccessRule.of([ALICE, person(UUID(int=n))]) for n in range(2, 50)]
    scope = Scope.of_person([ALICE], [*mail, NOBODY_RULE])
    assert scope.tokens == {ALICE}
    assert all(scope.admits(rule) for rule in mail)
    assert not scope.admits(NOBODY_RULE)
