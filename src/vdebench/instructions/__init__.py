"""Instructions for pages: draw operations, generate, check, classify. No workspace and no files.

drawn = draw(pages, "v3", seed=0, generators=["template"])
  for step in obtain(drawn[0], page, page_text, generator("template"), image=file):
      …  # a `Rejection` for each answer that failed (the last one `final`), or the `Instruction`
"""

from vdebench.instructions.ambiguity import KINDS, Ambiguous, kinds_for, make_ambiguous
from vdebench.instructions.check import REASONS, checked
from vdebench.instructions.draw import PRESETS, draw
from vdebench.instructions.factory import generator
from vdebench.instructions.generator import (
    ATTEMPTS,
    GeneratedAnswer,
    GenerationRequest,
    Generator,
    GeneratorError,
    obtain,
)
from vdebench.instructions.interpretation import classify
from vdebench.instructions.pair import InferredInstruction, infer_from_pair
from vdebench.instructions.prompt_pool import Prompt, pool

__all__ = [
    "ATTEMPTS",
    "KINDS",
    "PRESETS",
    "REASONS",
    "Ambiguous",
    "GeneratedAnswer",
    "GenerationRequest",
    "Generator",
    "GeneratorError",
    "InferredInstruction",
    "Prompt",
    "checked",
    "classify",
    "draw",
    "generator",
    "infer_from_pair",
    "kinds_for",
    "make_ambiguous",
    "obtain",
    "pool",
]
