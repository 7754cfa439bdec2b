"""A sheet of nine figures on a key colour to nine stickers with OpenCV: key by hue, a mask made smooth, cells by the lines of the grid.

Arguments: SHEET OUT green|magenta ROUNDS.
"""

import io

import cv2
import numpy as np
from PIL import Image

from stickers import CELLS, MARGIN, OUTLINE, SIDE, run

RANGES = {"green": ((35, 80, 60), (85, 255, 255)), "magenta": ((135, 80, 60), (165, 255, 255))}
NEAR = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (3, 3))
ROUND = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (2 * OUTLINE + 1, 2 * OUTLINE + 1))


def keyed(picture, key):
    """The picture as BGRA without its ground."""
    ground = cv2.inRange(cv2.cvtColor(picture, cv2.COLOR_BGR2HSV), *RANGES[key])
    mask = cv2.morphologyEx(cv2.bitwise_not(ground), cv2.MORPH_OPEN, NEAR)
    alpha = cv2.GaussianBlur(cv2.erode(mask, NEAR), (3, 3), 0)
    blue, green, red = cv2.split(picture)
    if key == "green":
        green = cv2.min(green, cv2.max(red, blue))
    else:
        over = cv2.subtract(cv2.min(red, blue), green)
        red, blue = cv2.subtract(red, over), cv2.subtract(blue, over)
    return cv2.merge([blue, green, red, alpha])


def sticker(figure):
    """A figure brought to size and outlined, as WEBP."""
    height, width = figure.shape[:2]
    scale = (SIDE - 2 * MARGIN) / max(height, width)
    size = (max(1, round(width * scale)), max(1, round(height * scale)))
    alpha = figure[:, :, 3:].astype(np.float32) / 255
    flat = cv2.merge([*cv2.split(figure[:, :, :3] * alpha), alpha * 255])
    flat = np.clip(cv2.resize(flat, size, interpolation=cv2.INTER_CUBIC if scale > 1 else cv2.INTER_AREA), 0, 255)
    canvas = np.zeros((SIDE, SIDE, 4), np.float32)
    left, top = (SIDE - size[0]) // 2, (SIDE - size[1]) // 2
    canvas[top : top + size[1], left : left + size[0]] = flat
    over = canvas[:, :, 3:] / 255
    solid = (canvas[:, :, 3] > 90).astype(np.uint8) * 255
    white = cv2.GaussianBlur(cv2.dilate(solid, ROUND), (5, 5), 0).astype(np.float32)[:, :, None] / 255
    out_alpha = over + white * (1 - over)
    colour = (canvas[:, :, :3] + 255 * white * (1 - over)) / np.maximum(out_alpha, 1e-3)
    rgba = cv2.cvtColor(np.clip(np.dstack([colour, out_alpha * 255]), 0, 255).astype(np.uint8), cv2.COLOR_BGRA2RGBA)
    # OpenCV's own encoder knows no method, so that of Pillow makes the files alike.
    file = io.BytesIO()
    Image.fromarray(rgba).save(file, "WEBP", quality=90, method=2)
    return file.getvalue()


def pack(data, key):
    sheet = keyed(cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_COLOR), key)
    height, width = sheet.shape[:2]
    made = []
    for column, row in CELLS:
        x, y = column * width // 3, row * height // 3
        cell = sheet[y : (row + 1) * height // 3, x : (column + 1) * width // 3]
        left, top, w, h = cv2.boundingRect((cell[:, :, 3] > 10).astype(np.uint8))
        figure = cell[top : top + max(h, 1), left : left + max(w, 1)]
        made.append((sticker(figure), x + left, y + top, cv2.cvtColor(figure, cv2.COLOR_BGRA2RGBA)))
    return made


run(pack)
