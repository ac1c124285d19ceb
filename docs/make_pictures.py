"""Draw docs/images/gallery/*.webp and docs/images/moving.webp from the scripts of examples/gallery.

    python docs/make_pictures.py            needs Chromium, and Pillow

Each script writes its page; Chromium draws it at moments of its time line.
"""

import io
import runpy
import subprocess
import sys
import tempfile
from pathlib import Path

from PIL import Image

ROOT = Path(__file__).resolve().parent.parent
SCRIPTS = sorted((ROOT / "examples/gallery").glob("*.py"))
IMAGES = ROOT / "docs/images"
SIZE, SMALL = (640, 420), (320, 210)  # pixels
MOVING = ("trot", "draw", "drop", "stale")  # of the picture in README, row by row
FRAMES, SECONDS = 60, 4.0
PLAIN = ".time, .plots, .notes, .tools, header, #labels { display: none !important }"


def frames(page, path, count):
    """Pictures of a page at `count` moments; if there is one, somewhat after its middle."""
    page.look(width=SIZE[0], height=SIZE[1], still=True)
    page.open(path)
    page.until("window.paraxis?.frames > 0", 60)
    page.run(f"document.head.append(Object.assign(document.createElement('style'), "
             f"{{textContent: {PLAIN!r}}}))")  # fmt: skip
    page.run("paraxis.player.play(false); new Promise(done => setTimeout(done, 800))")
    found = []
    for k in range(count):
        share = 0.55 if count == 1 else k / count
        page.run(f"paraxis.player.seek({share} * paraxis.player.duration)")
        page.run("paraxis.view.goHome && 0; new Promise(done => requestAnimationFrame(() => "
                 "requestAnimationFrame(done)))")  # fmt: skip
        found.append(Image.open(io.BytesIO(page.picture())).convert("RGB"))
    return found


def main():
    browser = runpy.run_path(str(ROOT / "tests/support/browser.py"))["browser"]
    tiles = {}
    (IMAGES / "gallery").mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder, browser() as page:
        for script in SCRIPTS:
            path = Path(folder, f"{script.stem}.html")
            subprocess.run([sys.executable, script, path], check=True)
            (still,) = frames(page, path, 1)
            still.save(IMAGES / f"gallery/{script.stem}.webp", quality=80, method=6)
            if script.stem in MOVING:
                tiles[script.stem] = [
                    each.resize(SMALL, Image.LANCZOS) for each in frames(page, path, FRAMES)
                ]
    together = []
    for k in range(FRAMES):
        whole = Image.new("RGB", (2 * SMALL[0], 2 * SMALL[1]))
        for at, name in enumerate(MOVING):
            whole.paste(tiles[name][k], (at % 2 * SMALL[0], at // 2 * SMALL[1]))
        together.append(whole)
    first, *others = together
    first.save(IMAGES / "moving.webp", save_all=True, append_images=others, loop=0, method=6,
               duration=round(1000 * SECONDS / FRAMES), quality=55)  # fmt: skip


if __name__ == "__main__":
    main()
