"""Files that releases, GitHub and containers read agree with what they describe. They are not run here."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib

import pytest
from conftest import ROOT

from idealist import __version__

SETTINGS = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


def text_of(path: str) -> str:
    return (ROOT / path).read_text(encoding="utf-8")


def test_the_version_is_in_one_place() -> None:
    assert SETTINGS["project"]["dynamic"] == ["version"]
    assert SETTINGS["tool"]["scikit-build"]["metadata"]["version"]["input"] == "src/idealist/__init__.py"
    assert text_of("src/idealist/__init__.py").count(f'__version__ = "{__version__}"') == 1
    for path in (
        "CITATION.cff",
        "CMakeLists.txt",
        "Containerfile",
        "compose.yaml",
        "Makefile",
        "SECURITY.md",
    ):
        assert __version__ not in text_of(path), path


def test_wheels_carry_the_licences_of_what_they_contain() -> None:
    carried = {path for pattern in SETTINGS["project"]["license-files"] for path in ROOT.glob(pattern)}
    assert {path for folder in ("native", "src") for path in (ROOT / folder).rglob("*.LICENSE")} <= carried
    # Linked into the core, and loaded by pages; esbuild put vega-util, which has the licence of vega, into the interpreter.
    libraries = ["nanobind", "robin-map", "htmx", "vega", "vega-interpreter", "vega-lite"]
    assert {path.stem for path in carried} == {"LICENSE", *libraries}


def test_github_runs_the_steps_of_ci() -> None:
    (steps,) = re.findall(r"^steps=\((.*)\)$", text_of(".ci/run"), re.MULTILINE)
    (jobs,) = re.findall(r"^ +step: \[(.*)\]$", text_of(".github/workflows/ci.yml"), re.MULTILINE)
    assert text_of(".github/workflows/ci.yml").count(".ci/run ${{ matrix.step }}") == 2
    assert jobs.split(", ") == steps.split()
    targets = re.findall(r"^([a-z-]+):", text_of("Makefile"), re.MULTILINE)
    assert set(steps.split()) <= set(targets)


def test_every_supported_python_is_built_and_tested() -> None:
    oldest = SETTINGS["project"]["requires-python"].removeprefix(">=")
    built = re.findall(r"cp3(\d+)-", SETTINGS["tool"]["cibuildwheel"]["build"])
    assert f"3.{built[0]}" == oldest
    (tested,) = re.findall(r"^ +python: \[(.*)\]", text_of(".github/workflows/ci.yml"), re.MULTILINE)
    assert re.findall(r'"([\d.]+)"', tested) == [f"3.{minor}" for minor in built]
    said = re.findall(
        r"^Programming Language :: Python :: (3\.\d+)$",
        "\n".join(SETTINGS["project"]["classifiers"]),
        re.MULTILINE,
    )
    # Tried by hand: peers that tests compare with have no wheels for 3.15.
    assert said == [*(f"3.{minor}" for minor in built), "3.15"]


def test_make_builds_for_every_supported_python() -> None:
    built = re.findall(r"cp3(\d+)-", SETTINGS["tool"]["cibuildwheel"]["build"])
    (sought,) = re.findall(r"^PYTHONS .*foreach version,([\d. ]+),", text_of("Makefile"), re.MULTILINE)
    assert sought.split() == [f"3.{minor}" for minor in built]


def test_pages_name_the_oldest_macos() -> None:
    oldest = SETTINGS["tool"]["cibuildwheel"]["macos"]["environment"]["MACOSX_DEPLOYMENT_TARGET"]
    assert f"macOS {oldest.removesuffix('.0')} or newer" in text_of("docs/install.md")


def test_the_files_that_ask_the_system_are_where_the_page_says() -> None:
    assert "`native/base/system.cpp`" in text_of("docs/install.md")
    assert (ROOT / "native/base/system.cpp").is_file()
    assert "`idealist.base.system`" in text_of("docs/install.md")


def test_options_of_one_compiler_are_not_given_to_another() -> None:
    build = text_of("CMakeLists.txt")
    branch = build.index("if(MSVC)"), build.index("else()", build.index("if(MSVC)"))
    assert branch[1] < build.index("-O3 -ffp-contract=off -Wall")
    assert "-static-libstdc++" in build.partition('CMAKE_CXX_COMPILER_ID STREQUAL "GNU"')[2]


def test_free_threaded_pythons_are_refused_and_not_claimed() -> None:
    build = text_of("CMakeLists.txt")
    refused = build.partition("Py_GIL_DISABLED")[2].partition("find_package(nanobind")[0]
    assert "FATAL_ERROR" in refused
    assert "free-threaded build" in refused
    assert "Free Threading" not in text_of("pyproject.toml")


def test_the_container_copies_what_is_there() -> None:
    copied = re.findall(r"^COPY (?!--from)(.*) \S+$", text_of("Containerfile"), re.MULTILINE)
    names = [name for line in copied for name in line.split()]
    assert names
    assert [name for name in names if not (ROOT / name).exists()] == []
    let_in = {
        line.removeprefix("!") for line in text_of(".dockerignore").splitlines() if line.startswith("!")
    }
    assert let_in == set(names)
    (extras,) = re.findall(r"\.whl\)\[(.*?)\]", text_of("Containerfile"))
    assert set(extras.split(",")) <= set(SETTINGS["project"]["optional-dependencies"])


def test_compose_names_options_that_exist() -> None:
    from idealist.cli.parser import command_parser

    _, parser = command_parser("serve")
    lines = re.findall(r"^ +(?:entrypoint|command): \[(.*)\]$", text_of("compose.yaml"), re.MULTILINE)
    options = [word for line in lines for word in line.split(", ") if word.startswith("--")]
    options = [option for option in options if option not in ("--from", "--to")]  # of Caddy
    assert len(options) >= 6
    assert [option for option in options if option not in parser._option_string_actions] == []


def test_compose_is_reached_through_its_proxy_alone() -> None:
    """By HTTPS; and the proxy is in the network whose word the workbench takes."""
    services = dict(re.findall(r"^  (\w+):\n((?:(?: {4}.*)?\n)+)", text_of("compose.yaml"), re.MULTILINE))
    assert {name for name, text in services.items() if "ports:" in text} == {"proxy"}
    assert "--https" in services["workbench"]
    (trusted,) = re.findall(r"--trusted-proxy, ([\d./]+)", services["workbench"])
    assert f"subnet: {trusted}\n" in services["front"]
    assert {name for name, text in services.items() if "networks: [front" in text} == {"proxy", "workbench"}


@pytest.mark.parametrize("name", ["bug", "wrong-number", "wish"])
def test_templates_name_commands_that_exist(name: str) -> None:
    from idealist.cli.parser import COMMANDS

    text = text_of(f".github/ISSUE_TEMPLATE/{name}.yml")
    assert text.startswith("name: ")
    assert set(re.findall(r"`idealist ([a-z-]+)", text)) <= set(COMMANDS)


def test_what_is_tested_is_pinned() -> None:
    """Each package of the extra `test`, and what it needs of ours, in a version that the extra allows."""
    extras = SETTINGS["project"]["optional-dependencies"]
    asked = [*SETTINGS["project"]["dependencies"], *extras["test"], *extras["oidc"], *extras["web"]]
    pinned = dict(
        line.lower().replace("_", "-").split("==")
        for line in text_of("tests/constraints.txt").splitlines()
        if not line.startswith("#")
    )
    for requirement in asked:
        match = re.fullmatch(r"([\w-]+)(?:\[\w+\])?>=([\d.]+)", requirement)
        if match is None:
            assert requirement.startswith("idealist[")
            continue
        version = pinned[match[1].lower().replace("_", "-")]
        assert [int(part) for part in version.split(".")] >= [int(part) for part in match[2].split(".")], (
            requirement
        )


def test_the_lowest_versions_are_those_that_are_allowed() -> None:
    listed = subprocess.run(
        [sys.executable, ROOT / "tests" / "lowest_versions.py", "tables"],
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    allowed = [*SETTINGS["project"]["dependencies"], *SETTINGS["project"]["optional-dependencies"]["tables"]]
    assert sorted(listed.split()) == sorted(requirement.replace(">=", "==") for requirement in allowed)
