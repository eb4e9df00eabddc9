"""console.settings.environment: the one place where the environment is read."""

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from console.settings.environment import (
    CHECKOUT,
    Environment,
    SettingError,
    kind_of,
    read_environment,
)


def environment(**values: str) -> Environment:
    return Environment(values)


@pytest.mark.parametrize("value", ["1", "true", "YES", "On"])
def test_it_reads_a_switch_that_is_on(value):
    assert environment(ATTEST_X=value).boolean("ATTEST_X", default=False) is True


@pytest.mark.parametrize("value", ["0", "false", "NO", "off"])
def test_it_reads_a_switch_that_is_off(value):
    assert environment(ATTEST_X=value).boolean("ATTEST_X", default=True) is False


def test_an_empty_value_counts_as_unset():
    assert environment(ATTEST_X="  ").boolean("ATTEST_X", default=True) is True
    assert environment(ATTEST_X="").text("ATTEST_X", default="d") == "d"


def test_it_reads_numbers_within_their_limits():
    assert environment(ATTEST_X="7").integer("ATTEST_X", default=1, low=0, high=7) == 7
    assert environment(ATTEST_X=".5").number(
        "ATTEST_X", default=None, low=0, high=1
    ) == pytest.approx(0.5)
    assert environment().number("ATTEST_X", default=None, low=0, high=1) is None


@pytest.mark.parametrize("value", ["8", "-1", "7.5", "many", "nan"])
def test_it_refuses_a_number_that_is_none_or_out_of_its_limits(value):
    with pytest.raises(SettingError, match=r"ATTEST_X.*accepted: a whole number"):
        environment(ATTEST_X=value).integer("ATTEST_X", default=1, low=0, high=7)
    with pytest.raises(SettingError, match="ATTEST_X"):
        environment(ATTEST_X=value).number("ATTEST_X", default=1, low=0, high=7.2)


@given(st.text(alphabet=st.characters(codec="ascii"), min_size=6))
def test_no_message_repeats_a_value(value):
    for parse in (
        lambda env: env.boolean("ATTEST_X", default=False),
        lambda env: env.choice("ATTEST_X", default="a", accepted=("a", "b")),
        lambda env: env.url("ATTEST_X", default=""),
    ):
        with pytest.raises(SettingError) as caught:
            parse(environment(ATTEST_X=f"~{value}~"))
        assert f"~{value}~" not in str(caught.value)


def test_it_tells_the_kind_of_a_value():
    assert kind_of(" ") == "blank"
    assert kind_of("1e3") == "a number"
    assert kind_of("hunter2") == "text of 7 characters"


def test_it_reads_a_list_with_commas():
    read = environment(ATTEST_X=" a, b ,,c ").items("ATTEST_X")
    assert read == ("a", "b", "c")


def test_a_relative_path_starts_at_the_checkout():
    read = environment(ATTEST_X="var/x").path("ATTEST_X", default=Path("y"))
    assert read == CHECKOUT / "var" / "x"


@pytest.mark.parametrize(
    "value",
    ["attest.example.com", "ftp://a", "http://", "https://a/b", "https://u:p@a", "x:y"],
)
def test_it_refuses_what_is_no_origin(value):
    with pytest.raises(SettingError, match="http:// or https://"):
        environment(ATTEST_X=value).url("ATTEST_X", default="http://a")


def test_an_origin_loses_its_last_slash():
    read = environment(ATTEST_X="https://a.example:8443/").url("ATTEST_X", default="")
    assert read == "https://a.example:8443"


def test_a_secret_comes_from_the_variable_or_from_the_file(tmp_path):
    file = tmp_path / "secret"
    file.write_text("from the file\n", encoding="utf-8")
    assert environment(ATTEST_S="plain").secret("ATTEST_S") == "plain"
    assert environment(ATTEST_S_FILE=str(file)).secret("ATTEST_S") == "from the file"
    assert environment().secret("ATTEST_S") == ""


def test_it_refuses_a_secret_given_twice_an_absent_file_and_an_empty_one(tmp_path):
    empty = tmp_path / "empty"
    empty.touch()
    for values, message in (
        ({"ATTEST_S": "hidden", "ATTEST_S_FILE": "x"}, "both set"),
        ({"ATTEST_S_FILE": str(tmp_path / "absent")}, "can't be read"),
        ({"ATTEST_S_FILE": str(empty)}, "empty"),
    ):
        with pytest.raises(SettingError, match=message) as caught:
            Environment(values).secret("ATTEST_S")
        assert "hidden" not in str(caught.value)


def test_an_unknown_name_comes_with_the_closest_known_one():
    env = environment(ATTEST_BASE_ULR="x", ATTEST_QQQ="x", ATTEST_SHARED="x", HOME="x")
    env.url("ATTEST_BASE_URL", default="http://a")
    assert env.unknown() == {"ATTEST_BASE_ULR": "ATTEST_BASE_URL", "ATTEST_QQQ": ""}


def test_the_process_wins_over_the_env_file(tmp_path):
    file = tmp_path / "env"
    file.write_text("ATTEST_A=file\nATTEST_B='file $HOME'\n", encoding="utf-8")
    env = read_environment({"ATTEST_ENV_FILE": str(file), "ATTEST_A": "process"})
    assert env.text("ATTEST_A") == "process"
    assert env.text("ATTEST_B") == "file $HOME"


def test_it_refuses_an_env_file_that_is_not_there(tmp_path):
    with pytest.raises(SettingError, match="ATTEST_ENV_FILE"):
        read_environment({"ATTEST_ENV_FILE": str(tmp_path / "absent")})


def test_the_tests_run_on_a_home_of_their_own(settings):
    assert settings.ATTEST_HOME.name.startswith("attest-tests-")
    assert os.environ["ATTEST_HOME"] == str(settings.ATTEST_HOME)
