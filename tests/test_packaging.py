"""What packages are made from: licences of others' files, dependencies, versions, links."""

import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
import yaml
from support.processes import SOURCE

import paraxis as px

ROOT = Path(__file__).resolve().parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
RECIPE = yaml.safe_load((ROOT / "recipe" / "recipe.yaml").read_text())
LICENCES = sorted(path for path in SOURCE.rglob("LICENSE*"))
# how files of others show: licence remarks, and lines that nobody typed
REMARK = re.compile(r"@license|SPDX-License|\bcopyright\b|\(c\) \d{4}", re.IGNORECASE)
LONGEST = 1_000  # characters of a line
SPDX = {"The MIT License": "MIT", "Apache License": "Apache-2.0"}  # first line -> identifier


def spdx(path):
    first = next(line.strip() for line in path.read_text("utf-8").splitlines() if line.strip())
    return SPDX[first]  # a KeyError is a licence that nobody has looked at


def is_of_others(path):
    text = path.read_bytes().decode("utf-8", "replace")
    return bool(REMARK.search(text)) or max(map(len, text.splitlines()), default=0) > LONGEST


def test_the_licence_of_every_vendored_file_is_beside_it():
    assert LICENCES
    folders = {path.parent for path in LICENCES}
    found = [path for path in SOURCE.rglob("*") if path.is_file() and path.suffix != ".pyc"]
    vendored = [path for path in found if is_of_others(path) and path.parent not in folders]
    # these words are about licences, or are marks of our own pages
    assert [str(path.relative_to(SOURCE)) for path in vendored] == []
    assert {path.parent.name for path in found if is_of_others(path)} == {"three"}


def test_the_licence_expression_names_every_licence():
    stated = set(PROJECT["license"].split(" AND "))
    assert stated == {spdx(path) for path in (ROOT / "LICENSE", *LICENCES)}
    files = ["LICENSE", *(str(path.relative_to(ROOT)) for path in LICENCES)]
    assert PROJECT["license-files"] == RECIPE["about"]["license_file"] == files
    assert RECIPE["about"]["license"] == PROJECT["license"]
    assert "License-Expression" in (ROOT / ".ci" / "smoke.py").read_text()


def test_where_vendored_files_are_from_is_written_beside_them():
    for path in LICENCES:
        page = (path.parent / "README.md").read_text("utf-8")
        for each in path.parent.iterdir():
            assert each.name == "README.md" or f"`{each.name}`" in page, each


def test_one_version():
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text())
    assert citation["version"] == RECIPE["context"]["version"] == px.__version__
    assert f"## [{px.__version__}]" in (ROOT / "CHANGELOG.md").read_text()


def test_the_conda_recipe_needs_what_the_package_needs():
    def named(words):
        name, _, bound = words.lower().replace(" ", "").partition(">=")
        return name, bound

    python, *run = RECIPE["requirements"]["run"]
    assert sorted(map(named, run)) == sorted(map(named, PROJECT["dependencies"]))
    assert python == "python >=${{ python_min }}"
    assert PROJECT["requires-python"] == f">={RECIPE['context']['python_min']}"
    (entry,) = RECIPE["build"]["python"]["entry_points"]
    assert entry == " = ".join(next(iter(PROJECT["scripts"].items())))


def test_pythons_that_are_tested_are_those_that_are_stated():
    oldest = PROJECT["requires-python"].removeprefix(">=")
    stated = [re.search(r":: (3\.\d+)$", each) for each in PROJECT["classifiers"]]
    assert next(found[1] for found in stated if found) == oldest
    assert f"OLDEST = {oldest}\n" in (ROOT / "Makefile").read_text()


@pytest.mark.parametrize("repository", ["", "owner/name"])
def test_links_are_those_of_the_forge_that_builds(repository):
    """The hook needs hatchling, which a build brings; here a stand-in for its base class does."""
    code = f"""
import runpy, sys, types
name = "hatchling.metadata.plugin.interface"
sys.modules[name] = types.SimpleNamespace(MetadataHookInterface=object)
metadata = {{}}
runpy.run_path({str(ROOT / ".ci" / "urls.py")!r})["Urls"]().update(metadata)
print(metadata["urls"].get("Source"))
"""
    environment = {**os.environ, "GITHUB_SERVER_URL": "https://forge.invalid"}
    environment |= {"GITHUB_REPOSITORY": repository}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True)
    expected = b"https://forge.invalid/owner/name" if repository else b"None"
    assert done.stdout.strip() == expected, done.stderr
    assert "urls" in PROJECT["dynamic"]


def test_workflows_and_templates_are_well_formed():
    files = [path for path in (ROOT / ".github").rglob("*.yml")]
    assert {path.name for path in files} >= {"tests.yml", "docs.yml", "bug.yml", "config.yml"}
    for path in files:
        assert yaml.safe_load(path.read_text()), path
    steps = yaml.safe_load((ROOT / ".github/workflows/tests.yml").read_text())["jobs"]
    assert any(step.get("run") == ".ci/run" for job in steps.values() for step in job["steps"])
