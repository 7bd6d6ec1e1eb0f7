# SPDX-License-Identifier: Apache-2.0
"""Parts of decoded JPEG files, with which explanations of DecodeAndCropJpeg compare ours."""

from __future__ import annotations

import base64
from typing import Any

import numpy as np

from tensorwright.python.client import session
from tensorwright.python.framework import ops
from tensorwright.python.ops import gen_image_ops
from tensorwright.tools.difftest.difference import Difference


def _run(make: Any, *inputs: Any, **attrs: Any) -> Any:
    with ops.Graph().as_default(), session.Session() as sess:
        return sess.run(make(*inputs, **attrs))


# A JPEG file of 12 x 12 pixels whose colours have half as many rows and columns as its pixels, in base 85, and what
# DecodeJpeg gives for its pixels [2:4, 3:7].  They stand here since a session while this module is imported would start
# threads.
_FILE = (
    b"|JeWF01!$>Nk#wx0RaIl0W1Ij|JwjV01yid4h#wq4h;?x5fBp?C>j_R78o%jB^@X_Gd(;xGdMRuNL)@pL{~*OI8bd-"
    b"S6^ahXlFi6ad~iLcwA*?WB=O#Lje&I5*QU2FB%#zV?sDWV`F1uV`F1uV`F1uV`F1uV`F1uV`F1uV`F1uV`F1uV`F1u"
    b"V`F1uV`F1uV`F1uV`Klo01*fP3;+xR0U`hb5di}c0sq7R6#xMN00000000000000000035|HJ?v5C8%K0R;g800000"
    b"00000009F61ONpQ5)&~LA^*ex6afJM00000000000000000092!~h==0RRC51Oos700000000000RjL6F%c3WVS%C1"
    b"|Jncy0|5X65d#qbKL9?4>Z~>ldZ{b%ar1l%ZP+~3E-"
    b">&6qga<+<xyA=L;%_`$nD&69oD&Vh#q6L8O;k?4>{{TSJ6W3qXgb=Q;l#RYya5"
)
PART = np.array(
    [
        [[144, 80, 71], [108, 44, 96], [90, 67, 121], [71, 130, 128]],
        [[67, 41, 66], [67, 50, 128], [80, 105, 162], [74, 172, 133]],
    ],
    np.uint8,
)


def file() -> np.ndarray:
    """The file as a scalar of bytes."""
    found = np.empty([], object)
    found[()] = base64.b85decode(_FILE)
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
