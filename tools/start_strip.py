"""Puts the pictures of `gui_start.py` together: docs/manual/images/start_strip.webp. Argument: their folder."""

import json
import sys
from pathlib import Path

from PIL import Image, ImageDraw, ImageFont

OUT = Path(__file__).resolve().parent.parent / "docs" / "manual" / "images" / "start_strip.webp"
COLUMNS, WIDE, TALL = 3, 780, 740  # pixels of a window's picture, left of and below its sidebar's upper right corner
SIZE = (300, 284)  # of it in the strip
CAPTION, GAP, QUALITY = 22, 6, 60
PAPER, INK = (250, 250, 250), (20, 20, 20)


def main(folder: Path) -> None:
    taken = json.loads((folder / "steps.json").read_text())
    rows = -(-len(taken) // COLUMNS)
    cell = SIZE[0] + GAP, SIZE[1] + CAPTION + GAP
    strip = Image.new("RGB", (COLUMNS * cell[0] + GAP, rows * cell[1]), PAPER)
    draw, font = ImageDraw.Draw(strip), ImageFont.load_default(12)
    for k, step in enumerate(taken):
        right, top = step["corner"]
        picture = Image.open(folder / f"step_{k + 1:02}.png").convert("RGB")
        picture = picture.crop((right - WIDE, top, right, top + TALL)).resize(SIZE, Image.Resampling.LANCZOS)
        x, y = GAP + k % COLUMNS * cell[0], k // COLUMNS * cell[1]
        draw.text((x, y + 4), f"{k + 1}. {step['words']}", fill=INK, font=font)
        strip.paste(picture, (x, y + CAPTION))
    strip.save(OUT, quality=QUALITY, method=6)
    print(f"{OUT}: {strip.size}, {OUT.stat().st_size / 1024:.0f} KiB")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
