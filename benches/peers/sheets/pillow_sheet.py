"""A sheet of nine figures on a key colour to nine stickers with Pillow and numpy: a soft key, cells by the lines of the grid.

Arguments: SHEET OUT green|magenta ROUNDS.
"""

import io

import numpy as np
from PIL import Image, ImageFilter

from stickers import CELLS, MARGIN, OUTLINE, SIDE, run


def keyed(picture, key):
    """The picture as RGBA without its ground."""
    red, green, blue = (picture[:, :, channel].astype(np.int16) for channel in range(3))
    over = green - np.maximum(red, blue) if key == "green" else np.minimum(red, blue) - green
    alpha = 1 - np.clip((over / 255 - 0.07) / 0.83, 0, 1)
    over = np.maximum(over, 0)
    if key == "green":
        green = green - over
    else:
        red, blue = red - over, blue - over
    return np.dstack([red, green, blue, np.round(alpha * 255)]).astype(np.uint8)


def sticker(figure):
    """A figure brought to size and outlined, as WEBP."""
    height, width = figure.shape[:2]
    scale = (SIDE - 2 * MARGIN) / max(height, width)
    size = (max(1, round(width * scale)), max(1, round(height * scale)))
    small = Image.fromarray(figure).convert("RGBa").resize(size, Image.Resampling.BICUBIC).convert("RGBA")
    canvas = Image.new("RGBA", (SIDE, SIDE))
    canvas.paste(small, ((SIDE - size[0]) // 2, (SIDE - size[1]) // 2))
    solid = canvas.getchannel("A").point(lambda value: 255 if value > 90 else 0)
    ring = solid.filter(ImageFilter.MaxFilter(2 * OUTLINE + 1)).filter(ImageFilter.GaussianBlur(2))
    white = Image.new("RGBA", (SIDE, SIDE), (255, 255, 255, 0))
    white.putalpha(ring)
    file = io.BytesIO()
    Image.alpha_composite(white, canvas).save(file, "WEBP", quality=90, method=2)
    return file.getvalue()


def pack(data, key):
    sheet = keyed(np.asarray(Image.open(io.BytesIO(data)).convert("RGB")), key)
    height, width = sheet.shape[:2]
    made = []
    for column, row in CELLS:
        x, y = column * width // 3, row * height // 3
        cell = sheet[y : (row + 1) * height // 3, x : (column + 1) * width // 3]
        solid = cell[:, :, 3] > 10
        columns, rows = np.flatnonzero(solid.any(0)), np.flatnonzero(solid.any(1))
        left, right = (columns[0], columns[-1]) if columns.size else (0, 0)
        top, bottom = (rows[0], rows[-1]) if rows.size else (0, 0)
        figure = np.ascontiguousarray(cell[top : bottom + 1, left : right + 1])
        made.append((sticker(figure), x + left, y + top, figure))
    return made


run(pack)
