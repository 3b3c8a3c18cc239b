"""Editors evaluated in the papers, and our names for them."""

from __future__ import annotations

from typing import NamedTuple

VDE, TEXTEDIT = ("vde-v1", "vde-v3"), ("textedit",)
_VERSION = "the papers do not say which version; step1x-edit is v1p2"
_SIZE = "the row's 512 is not explained; `vde run --max-pixels 262144` gives pages of as many pixels as 512x512"


class PaperEditor(NamedTuple):
    """A row of a paper."""

    published: str
    """Name in the paper."""
    papers: tuple[str, ...]
    editor: str
    """Our name."""
    note: str = ""


PAPER_EDITORS = (
    PaperEditor("InstructPix2Pix", (*VDE, *TEXTEDIT), "instruct-pix2pix"),
    PaperEditor("MagicBrush", TEXTEDIT, "magicbrush"),
    PaperEditor("FLUX.1-Kontext-dev", TEXTEDIT, "flux-kontext"),
    PaperEditor("Qwen-Image-Edit", (*VDE, *TEXTEDIT), "qwen-image-edit"),
    PaperEditor("FireRed-Image-Edit", ("vde-v3",), "firered-image-edit"),
    PaperEditor("LongCat-Image-Edit", VDE, "longcat-image-edit"),
    PaperEditor("ICEdit", VDE, "icedit"),
    PaperEditor("Step1X-Edit", (*VDE, *TEXTEDIT), "step1x-edit-v1.1", _VERSION),
    PaperEditor("Step1X-Edit-Think", TEXTEDIT, "step1x-edit-think"),
    PaperEditor("OmniGen2", TEXTEDIT, "omnigen2"),
    PaperEditor("Bagel(512)", TEXTEDIT, "bagel", _SIZE),
    PaperEditor("Bagel-Think(512)", TEXTEDIT, "bagel-think", _SIZE),
    PaperEditor("Emu3.5(512)", TEXTEDIT, "emu3.5", f"{_SIZE}; also arguments='--pixels 262144'"),
    PaperEditor("NanoBanana", TEXTEDIT, "nano-banana"),
    PaperEditor("Gemini-2.5-Flash-Image", ("vde-v1",), "nano-banana"),
    PaperEditor("Seedream", TEXTEDIT, "seedream-4", "the paper cites 4.0"),
)
