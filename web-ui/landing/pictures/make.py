#!/usr/bin/env python3
"""Makes the pictures of the landing site from packs that `stickers render` drew.

    tools/landing-pictures

renders every outfit in three languages from the portrait in crates/app/assets and runs this with the folder of packs. It needs Pillow.
Stickers become squares of 256 px (the large one of the first view 448 px), the card that messengers show is 1200 x 630.
"""

import sys
from pathlib import Path

from PIL import Image, ImageDraw

PACKS = Path(sys.argv[1])
PORTRAIT = Path(sys.argv[2])
OUT = Path(__file__).resolve().parent.parent / "public"

LANGUAGES = ("ru", "uz", "en")
NINE = ("hi", "laugh", "love", "like", "tea", "sleep", "angry", "dance", "thanks")
# One sticker of each other outfit, for the grid of outfits and the first view.
OTHERS = {
    "astronaut": "hi",
    "hero": "power",
    "chef": "tasty",
    "football": "trophy",
    "hoodie": "laugh",
    "doctor": "like",
    "royal": "reign",
}
SIDE, LARGE = 256, 448
INK, SAFFRON, ANOR, FERUZA, CREAM = "#2b1826", "#ffc233", "#c81e4a", "#0b7480", "#fff6e2"


def sticker(language: str, outfit: str, name: str) -> Image.Image:
    (path,) = (PACKS / language / outfit).glob(f"*/??_{name}.webp")
    return Image.open(path).convert("RGBA")


def square(picture: Image.Image, side: int) -> Image.Image:
    scale = side / max(picture.size)
    small = picture.resize([round(edge * scale) for edge in picture.size], Image.LANCZOS)
    field = Image.new("RGBA", (side, side), (0, 0, 0, 0))
    field.paste(small, ((side - small.width) // 2, (side - small.height) // 2))
    return field


def save(picture: Image.Image, path: Path, quality: int = 72) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    picture.save(path, "WEBP", quality=quality, alpha_quality=80, method=6)


def lozenge(draw: ImageDraw.ImageDraw, x: float, y: float, w: float, h: float, fill: str, line: int = 0) -> None:
    corners = [(x, y - h), (x + w, y), (x, y + h), (x - w, y)]
    draw.polygon(corners, fill=fill)
    if line:
        draw.line([*corners, corners[0], corners[1]], fill=INK, width=line, joint="curve")


def field(width: int, height: int, scale: int) -> Image.Image:
    """Saffron with the lozenges of the ikat, the adras band at its foot."""
    picture = Image.new("RGB", (width * scale, height * scale), SAFFRON)
    draw = ImageDraw.Draw(picture)
    for column in range(-1, 8):
        for row in range(-1, 6):
            x, y = column * 180 + (row % 2) * 90, row * 150
            for w, h, fill in ((58, 78, "#f3b62b"), (46, 62, SAFFRON), (27, 37, "#f3b62b")):
                lozenge(draw, x * scale, y * scale, w * scale, h * scale, fill)
    top, band = (height - 64) * scale, 64 * scale
    draw.rectangle([0, top, width * scale, height * scale], fill=FERUZA)
    middle = top + band // 2
    for number in range(0, width // 64 + 2):
        x = number * 64 * scale
        outer, inner, core = ((CREAM, ANOR, SAFFRON), (SAFFRON, FERUZA, CREAM))[number % 2]
        for w, h, fill, line in ((21, 25, outer, 3), (13, 15.5, inner, 3), (5.5, 7, core, 2)):
            lozenge(draw, x, middle, w * scale, h * scale, fill, line * scale)
    for y in (top, height * scale - 3 * scale):
        draw.rectangle([0, y, width * scale, y + 3 * scale], fill=INK)
    return picture.resize((width, height), Image.LANCZOS)


def card(language: str) -> None:
    picture = field(1200, 630, 3)
    for outfit, name, x, y, side, turn in (
        ("astronaut", "hi", 40, 20, 290, 6),
        ("hoodie", "laugh", 190, 270, 280, -5),
        ("royal", "reign", 870, 20, 290, -6),
        ("chef", "tasty", 740, 272, 280, 5),
        ("chapan", "love", 370, 60, 470, 0),
    ):
        one = square(sticker(language, outfit, name), side * 2).rotate(turn, Image.BICUBIC).resize((side, side), Image.LANCZOS)
        picture.paste(one, (x, y), one)
    small = picture.quantize(224, method=Image.Quantize.MEDIANCUT, dither=Image.Dither.FLOYDSTEINBERG)
    small.save(OUT / f"card-{language}.png", optimize=True)


def icon() -> Image.Image:
    """The sticker with a smile, as in icon.svg, for those who cannot show SVG."""
    scale = 16
    picture = Image.new("RGBA", (64 * scale, 64 * scale), (0, 0, 0, 0))
    draw = ImageDraw.Draw(picture)
    at = lambda *points: [tuple(edge * scale for edge in point) for point in points]
    draw.rounded_rectangle([0, 0, 64 * scale, 64 * scale], radius=14 * scale, fill=SAFFRON)
    draw.rounded_rectangle([11 * scale, 12 * scale, 53 * scale, 53 * scale], radius=7 * scale, fill=INK)
    draw.rounded_rectangle([15 * scale, 16 * scale, 49 * scale, 49 * scale], radius=4 * scale, fill="#ffffff")
    draw.polygon(at((49, 36), (49, 54), (54, 54), (54, 36)), fill=SAFFRON)
    draw.polygon(at((36, 54), (54, 36), (54, 54)), fill=SAFFRON)
    draw.polygon(at((34, 53), (53, 34), (38, 36)), fill=INK)
    draw.polygon(at((37.5, 46), (46, 37.5), (38.5, 38.5)), fill=ANOR)
    for x in (24, 40):
        draw.line(at((x, 25), (x, 30)), fill=INK, width=4 * scale)
    draw.arc([22 * scale, 26 * scale, 38 * scale, 42 * scale], 20, 160, fill=INK, width=4 * scale)
    return picture


def main() -> None:
    for language in LANGUAGES:
        folder = OUT / "pictures" / language
        for name in NINE:
            save(square(sticker(language, "chapan", name), SIDE), folder / f"chapan-{name}.webp")
        save(square(sticker(language, "chapan", "love"), LARGE), folder / "chapan-large.webp", 76)
        for outfit, name in OTHERS.items():
            save(square(sticker(language, outfit, name), SIDE), folder / f"{outfit}.webp")
        card(language)
    photo = Image.open(PORTRAIT).convert("RGB").crop((22, 8, 422, 303)).resize((480, 354), Image.LANCZOS)
    save(photo, OUT / "pictures" / "photo.webp", 76)
    drawn = icon()
    touch = Image.new("RGB", (180, 180), SAFFRON)
    small = drawn.resize((180, 180), Image.LANCZOS)
    touch.paste(small, (0, 0), small)
    touch.save(OUT / "touch.png", optimize=True)
    drawn.resize((48, 48), Image.LANCZOS).save(OUT / "favicon.ico", sizes=[(32, 32), (48, 48)])


main()
