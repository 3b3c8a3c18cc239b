"""Judges: multimodal models that grade an edit or an instruction, with a typed outcome for every question.

An adapter sends one request and returns its result; retries, rate limits and repairs are in `client`.
"""
