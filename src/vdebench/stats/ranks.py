"""Ranks with ties averaged. SciPy is imported at the first call because that takes long."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray


def rankdata(values: ArrayLike, axis: int | None = None) -> NDArray[np.float64]:
    """The rank of each value, 1 for the smallest, along an axis.

    >>> rankdata([30, 10, 10]).tolist()
    [3.0, 1.5, 1.5]
    """
    from scipy.stats import rankdata as ranks

    array: Any = np.asarray(values)
    return np.asarray(ranks(array, axis=axis), np.float64)
