# SPDX-License-Identifier: Apache-2.0
"""Parts of decoded JPEG files, with which explanations of DecodeAndCropJpeg compare ours."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from tensorwright.python.client import session
from tensorwright.python.framework import ops
from tensorwright.python.ops import gen_image_ops
from tensorwright.tools.difftest.difference import Difference


def _run(make: Any, *inputs: Any, **attrs: Any) -> Any:
    with ops.Graph().as_default(), session.Session() as sess:
        return sess.run(make(*inputs, **attrs))


@functools.cache
def file(height: int, width: int) -> np.ndarray:
    """A file whose colours have half as many rows and columns as its pixels."""
    y, x, c = np.indices([height, width, 3])
    image = (128 + 100 * np.sin(0.7 * y + 0.4 * x * (c + 1))).astype(np.uint8)
    found = np.empty([], object)
    found[()] = _run(gen_image_ops.encode_jpeg, image, chroma_downsampling=True)
    return found


def cropped(d: Difference) -> np.ndarray:
    """The window of the whole image, decoded by DecodeJpeg, which is compared with TensorFlow's itself."""
    whole = _run(gen_image_ops.decode_jpeg, d.input(0).item(), **d.attrs)
    top, left, height, width = (int(n) for n in d.input(1))
    return whole[top : top + height, left : left + width]


def sides(d: Difference) -> np.ndarray:
    """bool [width, 1]: the first and the last column."""
    place = np.arange(d.here.shape[1])[:, None]
    return (place == 0) | (place == d.here.shape[1] - 1)
