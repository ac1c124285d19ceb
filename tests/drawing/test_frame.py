"""What all pages share: colours that are told apart, and the frame."""

import re
from base64 import b64decode
from itertools import combinations
from xml.etree import ElementTree

import numpy as np
import pytest
from support.browser import browser, chromium

import paraxis as px
from paraxis.drawing.frame import FAVICON, MARK, both_themes, brand, document, file_text

STYLE = file_text("paraxis.drawing", "style.css")
CARDS = {"light": "#ffffff", "dark": "#1a1f29"}
HUES = ("c1", "c2", "c4", "c5", "c6", "c7", "c8")  # c3 is a grey

# -- colours ---------------------------------------------------------------------------------------

# What people see who lack a kind of cone, in linear RGB: Machado, Oliveira and Fernandes (2009).
SEEN = {
    "all cones": np.eye(3),
    "deuteranopia": [
        [0.367322, 0.860646, -0.227968],
        [0.280085, 0.672501, 0.047413],
        [-0.011820, 0.042940, 0.968881],
    ],
    "protanopia": [
        [0.152286, 1.052583, -0.204868],
        [0.114503, 0.786281, 0.099216],
        [-0.003882, -0.048116, 1.051998],
    ],
}
# Linear RGB to Oklab (Ottosson, 2020), in which distances are as seen; about 0.02 is just seen.
TO_CONES = [
    [0.4122214708, 0.5363325363, 0.0514459929],
    [0.2119034982, 0.6806995451, 0.1073969566],
    [0.0883024619, 0.2817188376, 0.6299787005],
]
TO_LAB = [
    [0.2104542553, 0.7936177850, -0.0040720468],
    [1.9779984951, -2.4285922050, 0.4505937099],
    [0.0259040371, 0.7827717662, -0.8086757660],
]


def light_of(colour):
    """Linear RGB of #rrggbb."""
    share = np.array([int(colour[k : k + 2], 16) for k in (1, 3, 5)]) / 255
    return np.where(share <= 0.04045, share / 12.92, ((share + 0.055) / 1.055) ** 2.4)


def oklab(light):
    return np.cbrt(light @ np.transpose(TO_CONES)) @ np.transpose(TO_LAB)


def palettes():
    """Theme -> name of a colour -> #rrggbb, as the style sheet of all pages has them."""
    light, dark = STYLE.split("@media (prefers-color-scheme: dark)")[:2]
    found = (dict(re.findall(r"--(\w+): (#\w{6})", part)) for part in (light, dark))
    return dict(zip(("light", "dark"), found, strict=True))


@pytest.mark.parametrize("theme", CARDS)
@pytest.mark.parametrize("seen", SEEN)
def test_six_links_have_six_colours_for_everyone(theme, seen):
    colours = palettes()[theme]
    assert colours["card"] == CARDS[theme]
    light = {name: light_of(colours[name]) @ np.transpose(SEEN[seen]) for name in HUES}
    lab = {name: oklab(np.clip(each, 0, 1)) for name, each in light.items()}
    gaps = {pair: np.linalg.norm(lab[pair[0]] - lab[pair[1]]) for pair in combinations(HUES, 2)}
    six = {pair: gap for pair, gap in gaps.items() if "c8" not in pair}
    assert min(six.values()) > 0.1, min(six, key=six.get)
    assert min(gaps.values()) > 0.08, min(gaps, key=gaps.get)


@pytest.mark.parametrize("theme", CARDS)
def test_curves_stand_out_from_the_card(theme):
    colours = palettes()[theme]
    luminance = np.array([0.2126, 0.7152, 0.0722])
    card = light_of(CARDS[theme]) @ luminance
    for name in HUES:
        low, high = sorted((card, light_of(colours[name]) @ luminance))
        assert (high + 0.05) / (low + 0.05) > 3, name  # as WCAG 2.2 asks of graphics


def test_charts_of_schedules_use_these_colours():
    picture = file_text("paraxis.parallel.gantt", "picture.js")
    assert str(list(HUES)).replace("'", '"') in picture


# -- the frame -------------------------------------------------------------------------------------


def test_the_icon_is_in_the_page_and_the_policy_lets_it_be_seen():
    page = document("a & b", "")
    assert f'<link rel="icon" href="{FAVICON}">' in page and "img-src data:" in page
    icon = ElementTree.fromstring(b64decode(FAVICON.partition("base64,")[2]))
    assert icon.tag.endswith("svg") and MARK in brand()
    assert "<title>a &amp; b</title>" in page and "script-src" not in page


def test_the_way_back_is_escaped():
    line = brand(back=('"><script>', "The <design>"))
    assert 'href="&quot;&gt;&lt;script&gt;"' in line and "← The &lt;design&gt;" in line


def test_colours_for_the_dark_are_given_once():
    style = both_themes("@media (prefers-color-scheme: dark) {\n  :root { --a: #123; }\n}\n")
    assert style.count("--a: #123;") == 2 and ':root[data-theme="dark"]' in style
    assert style.count("@media screen") == 2  # paper is light


AROUND = '<!DOCTYPE html><html><body data-theme="auto">{chart}</body></html>'
PAPER = "getComputedStyle(document.querySelector('iframe').contentDocument.body).backgroundColor"


@pytest.mark.skipif(chromium() is None, reason="there is no Chromium here")
def test_a_chart_is_as_dark_as_the_page_around_it(tmp_path):
    chart = px.schedule(px.TaskGraph({"a": 1, "b": 2}, [("a", "b")]), 2)._repr_html_()
    dark, light = "rgb(18, 21, 28)", "rgb(251, 251, 249)"
    path = tmp_path / "around.html"
    path.write_text(AROUND.format(chart=chart), "utf-8")
    with browser() as page:
        for system in (False, True):
            page.look(dark=system)
            page.open(path)
            for theme, seen in (("dark", dark), ("light", light), ("dark", dark)):
                page.run(f"document.body.dataset.theme = '{theme}'")
                page.until(f"{PAPER} === '{seen}'", 5)
            page.run("document.body.dataset.theme = 'auto'")
            page.until(f"{PAPER} === '{dark if system else light}'", 5)
        assert not page.errors and not page.messages
