"""An empty cache for every judging test, without keys or addresses of the environment."""

from __future__ import annotations

import pytest


@pytest.fixture(autouse=True)
def _apart(monkeypatch, tmp_path):
    monkeypatch.setenv("VDE_CACHE", str(tmp_path / "cache"))
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "GEMINI_API_KEY", "ANTHROPIC_API_KEY", "TEST_JUDGE_KEY"):
        monkeypatch.delenv(name, raising=False)
