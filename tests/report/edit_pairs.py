"""An invoice before and after an edit, drawn with Pillow, and the check that an engine should return for it."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from PIL import Image, ImageDraw, ImageFont

from tests.report.site_runs import EVIL
from vdebench.changes.change import Change, EditCheck, Geometry, PageChanges
from vdebench.core.box import Box, Size

PAGE, OUTPUT = Size(900, 1200), Size(768, 1024)
FRAME = Box(72, 0, 900, 1104)
"""The part of the page that the output shows: 92 % of the width and of the height."""
SCALE = 900 / 828
INSTRUCTION = "Replace 'March 2023' with 'March 2024' in the heading."

LINES = (
    (40, 60, "Invoice 48-1137"),
    (32, 130, "Consulting, March 2023"),
    (22, 210, "Ashford & Vale Ltd, 14 Mill Lane, Harrow"),
    (22, 245, "Customer number 7719203"),
    (22, 330, "Design of the catalogue"),
    (22, 370, "Proof reading, 12 hours"),
    (22, 410, "Printing of 400 copies"),
    (22, 450, "Delivery"),
    (22, 530, "Total"),
    (20, 640, "Please transfer the amount within 14 days to the account below."),
    (20, 672, "Questions are answered by our office from nine to five on weekdays."),
    (20, 704, "Late payments are charged with 4.5 percent interest per year."),
    (18, 1130, "Registered in England, number 0338841, VAT 552 1190 08"),
)
PRICES = ((330, "1,250.00"), (370, "59.00"), (410, "880.00"), (450, "35.50"), (530, "2,224.50"))


class Pair(NamedTuple):
    """Both image files, and the check."""

    before: Path
    after: Path
    check: EditCheck


def draw_page(changed: bool) -> tuple[Image.Image, dict[str, Box]]:
    """The page and the boxes of its lines by their text."""
    page = Image.new("RGB", (int(PAGE.width), int(PAGE.height)), "white")
    draw, boxes = ImageDraw.Draw(page), {}

    def write(x: int, y: int, size: int, text: str) -> None:
        font = ImageFont.load_default(size)
        draw.text((x, y), text, fill="#1a1a1a", font=font)
        boxes[text] = Box(*map(float, draw.textbbox((x, y), text, font=font)))

    for size, y, text in LINES:
        text = text.replace("2023", "2024") if changed else text
        if not (changed and text.startswith("Delivery")):
            write(100, y, size, text.replace("nine to five", "nine to fivve") if changed else text)
    for y, text in PRICES:
        write(700, y, 22, "69.00" if changed and text == "59.00" else text)
    draw.line((100, 510, 820, 510), fill="#1a1a1a", width=2)
    draw.line((100, 315, 820, 315), fill="#1a1a1a", width=0 if changed else 2)
    if changed:
        draw.ellipse((560, 820, 700, 930), outline="#334a9c", width=5)
    return page, boxes


def on_output(box: Box) -> Box:
    """A box of the page in pixels of the output."""
    by = OUTPUT.width / (FRAME.x2 - FRAME.x1)
    return Box((box.x1 - FRAME.x1) * by, box.y1 * by, (box.x2 - FRAME.x1) * by, box.y2 * by)


def make_pair(folder: Path) -> Pair:
    """Write both images and return them with their check; one text tries to be a script."""
    folder.mkdir(parents=True, exist_ok=True)
    (before, old), (after, new) = draw_page(False), draw_page(True)
    before.save(folder / "page.png")
    frame = (int(FRAME.x1), 0, int(FRAME.x2), int(FRAME.y2))
    size = int(OUTPUT.width), int(OUTPUT.height)
    after.crop(frame).resize(size, Image.Resampling.LANCZOS).save(folder / "edited.jpg", quality=92)
    heading, changed = "Consulting, March 2023", "Consulting, March 2024"
    office = "Questions are answered by our office from nine to five on weekdays."
    ours = office.replace("five", "fivve")
    footer = LINES[-1][2]
    circle = Box(557, 817, 703, 933)
    changes = (
        Change("replaced", heading, changed, old[heading], on_output(new[changed]), "date", True, 0.999),
        Change("replaced", "five", "fivve", old[office], on_output(new[ours]), "", False, 0.97),
        Change("ink_added", box_after=on_output(circle), asked=False, confidence=0.95, note="an ellipse"),
        Change("ink_lost", box_before=Box(100, 312, 820, 320), asked=False, confidence=0.88),
        Change("lost", "Delivery", "", old["Delivery"], None, "", False, 0.99),
        Change("cropped", footer, "", old[footer], None, "number", False, 1.0),
        Change(
            "replaced",
            "59.00",
            "69.00",
            old["59.00"],
            on_output(new["69.00"]),
            "price",
            False,
            0.998,
            {"likelihood_before": -14.25, "likelihood_after": -0.031, "correlation": 0.412},
        ),
        Change("restyled", EVIL, EVIL, old["Total"], on_output(new["Total"]), "", None, 0.61, note="stroke width ×1.4"),
    )
    geometry = Geometry(
        "cropped",
        PAGE,
        OUTPUT,
        SCALE,
        SCALE,
        (-FRAME.x1 / 828, 0.0),
        visible=Box(0.08, 0.0, 1.0, 0.92),
        residual=0.4,
        matches=812,
        cropped_words=9,
    )
    why = "59.00 → 69.00 was not asked for; 9 words are cut off"
    check = EditCheck(PageChanges(geometry, changes, words=61), "done", False, why)
    return Pair(folder / "page.png", folder / "edited.jpg", check)
