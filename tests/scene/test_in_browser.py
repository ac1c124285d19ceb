"""Pages of robots opened in Chromium: they draw, move, answer, and ask for nothing."""

import io

import numpy as np
import pytest
from support.browser import browser, chromium

import paraxis as px

pytestmark = pytest.mark.skipif(chromium() is None, reason="there is no Chromium here")


@pytest.fixture(scope="module")
def page():
    with browser() as found:
        yield found


def opened(page, scene, path, **look):
    """The page of a scene, once its first picture is there."""
    scene.to_html(path)
    page.errors.clear(), page.messages.clear(), page.requests.clear()
    page.look(**({"width": 900, "height": 640, "still": True} | look))
    page.open(path)
    page.until("window.paraxis?.frames > 0 && document.fonts.ready.then(() => true)", 60)
    return page


def picture(page):
    """What the canvas shows, drawn now, as red, green, blue and opacity."""
    from PIL import Image

    found = page.run("(() => { paraxis.view.draw(); return paraxis.view.canvas.toDataURL(); })()")
    import base64

    return np.asarray(Image.open(io.BytesIO(base64.b64decode(found.partition(",")[2])))).astype(int)
