"""deploy/environment.py: the environment is built once, whole, and linked."""

import importlib.util
import subprocess
from pathlib import Path

import pytest

SCRIPT = Path(__file__).resolve().parents[2] / "deploy" / "environment.py"


@pytest.fixture
def setup(tmp_path, monkeypatch):
    """Return the script as a module, in a checkout that has only lock files."""
    spec = importlib.util.spec_from_file_location("attest_environment", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    checkout = tmp_path / "checkout"
    (checkout / "requirements").mkdir(parents=True)
    for name in ("dev", "tools"):
        (checkout / "requirements" / f"{name}.txt").write_text(name, encoding="utf-8")
    monkeypatch.setattr(module, "CHECKOUT", checkout)
    monkeypatch.setattr(module, "LOCK_FILE", checkout / "requirements" / "dev.txt")
    monkeypatch.setattr(
        module, "TOOLS_LOCK_FILE", checkout / "requirements" / "tools.txt"
    )
    monkeypatch.setenv("ATTEST_VENVS", str(tmp_path / "venvs"))
    module.commands = []

    def run(*command):
        module.commands.append(" ".join(map(str, command)))
        if "venv" in command:
            Path(command[-1]).mkdir()
        if any(word in module.commands[-1] for word in module.broken):
            raise subprocess.CalledProcessError(1, command[0])

    module.broken = ()
    monkeypatch.setattr(module, "run", run)
    return module


def link_of(module):
    return (module.CHECKOUT / ".venv").readlink()


def test_it_builds_with_uv_and_links_the_environment(setup, tmp_path):
    assert setup.main([]) == 0
    environment = link_of(setup)
    assert environment.parent == tmp_path / "venvs"
    assert (environment / setup.COMPLETE).exists()
    assert any("uv pip sync" in command for command in setup.commands)
    assert all(
        "--require-hashes" in command
        for command in setup.commands
        if "pip sync" in command or "pip install" in command
    )


def test_a_second_run_builds_nothing_and_says_nothing(setup, capsys):
    setup.main([])
    setup.commands.clear()
    capsys.readouterr()
    assert setup.main([]) == 0
    assert setup.commands == []
    assert capsys.readouterr() == ("", "")


def test_a_changed_lock_file_is_another_environment(setup):
    setup.main([])
    first = link_of(setup)
    setup.LOCK_FILE.write_text("other", encoding="utf-8")
    setup.main([])
    assert link_of(setup) != first
    assert (first / setup.COMPLETE).exists()


def test_a_build_that_was_cut_short_is_built_again(setup):
    setup.broken = ("import django",)
    with pytest.raises(subprocess.CalledProcessError):
        setup.main([])
    assert not (setup.CHECKOUT / ".venv").is_symlink()
    [half] = Path(setup.os.environ["ATTEST_VENVS"]).glob("venv-*")
    (half / "left over").touch()
    setup.broken = ()
    assert setup.main([]) == 0
    assert not (half / "left over").exists()
    assert (half / setup.COMPLETE).exists()


def test_pip_stands_in_when_uv_fails(setup, capsys):
    setup.broken = ("uv pip sync",)
    assert setup.main([]) == 0
    assert any(
        "pip install" in command and "dev.txt" in command for command in setup.commands
    )
    assert "pip tries" in capsys.readouterr().err


def test_it_leaves_a_folder_named_venv_alone(setup, capsys):
    (setup.CHECKOUT / ".venv").mkdir()
    assert setup.main([]) == 1
    assert "move it away" in capsys.readouterr().err
    assert (setup.CHECKOUT / ".venv").is_dir()
