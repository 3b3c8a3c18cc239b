"""Judges: multimodal models that grade an edit, or an instruction, with a typed outcome for every question.

An adapter sends one request and says what came of it; patience, pace and repair live once, above all adapters.
"""
