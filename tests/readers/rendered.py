"""Lines and pages of text drawn with PIL, for tests of the reader."""

from __future__ import annotations

import textwrap
from pathlib import Path

import cv2
import numpy as np
from PIL import Image, ImageDraw, ImageFont

from vdebench.suites.typeset.language_rules import font_folders

FONT = next(file for folder in font_folders() for file in Path(folder).glob("NotoSansSC-Regular.otf"))
"""A font with Latin, Greek, Cyrillic and Chinese letters."""
ENGLISH_TEXT = (
    "The harbour office opens at eight in the morning. Ships report their cargo before they pass the lighthouse, and "
    "the pilot boards them near the northern pier. In winter the ferry runs every second hour, because the strait is "
    "often covered with ice. Visitors find the museum of navigation behind the old customs house."
)
CHINESE_TEXT = (
    "春天的早晨，湖面上升起一层薄雾。渔民们划着小船出发，船头的灯在雾里一闪一闪。二十三年前这里只有三户人家，"
    "如今已是一座热闹的小镇。每逢集市，四面八方的商人都会来到这里买卖茶叶和瓷器。夜里河水静静流过石桥，月亮照亮了屋顶。"
)


def draw_line(text: str, size: int = 28) -> np.ndarray:
    """An image of one line, with a few pixels of paper around it."""
    face = ImageFont.truetype(str(FONT), size)
    left, top, right, bottom = face.getbbox(text)
    image = Image.new("RGB", (int(right - left) + 8, int(bottom - top) + 8), "white")
    ImageDraw.Draw(image).text((4 - left, 4 - top), text, font=face, fill=(20, 20, 20))
    return np.array(image)


def draw_page(language: str, size: int = 26) -> tuple[np.ndarray, str]:
    """A page with the same paragraph twice, and its text."""
    chinese = language == "zh"
    text, columns = (CHINESE_TEXT, 26) if chinese else (ENGLISH_TEXT, 50)
    lines = _batched(text, columns) if chinese else textwrap.wrap(text, columns)
    face = ImageFont.truetype(str(FONT), size)
    image = Image.new("RGB", (900, 1200), "white")
    draw = ImageDraw.Draw(image)
    for paragraph in (0, 1):
        for index, line in enumerate(lines):
            draw.text((90, 90 + 480 * paragraph + index * 44), line, font=face, fill=(20, 20, 20))
    return np.array(image), "".join(lines * 2)


def draw_vertical_page(size: int = 34) -> tuple[np.ndarray, str]:
    """A page of vertical Chinese, columns from right to left, and its text."""
    face = ImageFont.truetype(str(FONT), size)
    image = Image.new("RGB", (900, 1100), (250, 248, 240))
    draw = ImageDraw.Draw(image)
    for column, text in enumerate(_batched(CHINESE_TEXT, 22)):
        for row, character in enumerate(text):
            shift = 0.55 * size if character in "，。" else 0  # set at the top right of its cell
            place = 900 - 120 - column * 1.7 * size + shift, 80 + row * 1.08 * size - shift
            draw.text(place, character, font=face, fill=(20, 20, 20))
    return np.array(image), CHINESE_TEXT


def rotate(page: np.ndarray, degrees: float) -> tuple[np.ndarray, np.ndarray]:
    """A page rotated clockwise on a larger canvas, and the matrix that moves its points."""
    height, width = page.shape[:2]
    matrix = cv2.getRotationMatrix2D((width / 2, height / 2), -degrees, 1)
    cosine, sine = abs(matrix[0, 0]), abs(matrix[0, 1])
    wide, high = int(width * cosine + height * sine) + 1, int(height * cosine + width * sine) + 1
    matrix[:, 2] += (wide - width) / 2, (high - height) / 2
    return cv2.warpAffine(page, matrix, (wide, high), flags=cv2.INTER_CUBIC, borderValue=(255, 255, 255)), matrix


def _batched(text: str, count: int) -> list[str]:
    return [text[start : start + count] for start in range(0, len(text), count)]
