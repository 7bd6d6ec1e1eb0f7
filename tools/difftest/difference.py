# SPDX-License-Identifier: Apache-2.0
"""A Difference: one thing that the two libraries do not do alike, with all that is known of it."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np

from tensorwright.tools.opcheck import signature as sig
from tensorwright.tools.opcheck.draws import Case

KERNELS = "kernels"  # TensorFlow has a kernel for a dtype for which we have none.
DIED, PEER_DIED = "died", "peer died"
REFUSAL = "refusal"  # Only one of the two refused the call.
ERROR_CLASS = "error class"  # Both did, with different classes.
VALUE, GRADIENT = "value", "gradient"
SHAPE = "shape function"
GRADIENT_ERROR = "gradient error"

# One of the two has an error, or both have different ones: `ours` and `theirs` are "Class: text", or "".
OF_ERRORS = (DIED, PEER_DIED, REFUSAL, ERROR_CLASS, GRADIENT_ERROR)
# Arrays differ.
OF_ARRAYS = (VALUE, GRADIENT)


@dataclasses.dataclass
class Arrays:
    """The arrays that two libraries computed for one output or gradient; None for a gradient that has no path."""

    ours: np.ndarray | None
    theirs: np.ndarray | None
    # Which elements are apart; None where it is not elements that are: dtypes, shapes, paths.
    far: np.ndarray | None = None

    @property
    def a(self) -> np.ndarray:
        """Our elements that are apart."""
        assert self.ours is not None and self.far is not None
        return self.ours[self.far]

    @property
    def b(self) -> np.ndarray:
        """TensorFlow's elements that are apart."""
        assert self.theirs is not None and self.far is not None
        return self.theirs[self.far]


@dataclasses.dataclass
class Difference:
    """A difference: `text` describes it for a person, and explanations and second looks judge by the rest."""

    op: str
    kind: str
    text: str = ""
    seed: int = 0
    case: Case | None = None
    words: str = ""  # How the call was made wrong; "" for a valid call.
    output: int = -1  # The output's number; for a gradient, the number of the input.
    enum: int = 0  # Its dtype; of KERNELS, the one that we lack.
    arrays: Arrays | None = None
    # All outputs, ours and theirs: some explanations look at several.
    outputs: tuple[list[Any], list[Any]] = ((), ())  # type: ignore[assignment]
    ours: Any = ""  # For OF_ERRORS, "Class: text" or ""; for SHAPE, the inferred shape.
    theirs: Any = ""
    actual: Any = None  # For SHAPE, the shape that the output has.

    @property
    def dtype(self) -> str:
        return sig.type_name(self.enum) if self.enum else ""

    @property
    def attrs(self) -> dict[str, Any]:
        return self.case.attrs if self.case else {}

    @property
    def here(self) -> np.ndarray:
        """All elements of ours."""
        assert self.arrays is not None and self.arrays.ours is not None
        return self.arrays.ours

    @property
    def there(self) -> np.ndarray:
        """All elements of TensorFlow's."""
        assert self.arrays is not None and self.arrays.theirs is not None
        return self.arrays.theirs

    @property
    def far(self) -> np.ndarray:
        """Which elements are apart."""
        assert self.arrays is not None and self.arrays.far is not None
        return self.arrays.far

    @property
    def a(self) -> np.ndarray:
        """Our elements that are apart."""
        return self.here[self.far]

    @property
    def b(self) -> np.ndarray:
        """TensorFlow's elements that are apart."""
        return self.there[self.far]

    def input(self, index: int) -> Any:
        """The array, or list of arrays, that the call gives as an input."""
        assert self.case is not None
        return self.case.inputs[index]

    def wide(self, index: int) -> np.ndarray:
        """An input in double precision, complex or not."""
        x = np.asarray(self.input(index))
        return x.astype(np.complex128 if x.dtype.kind == "c" else np.float64)

    def plain(self) -> dict[str, Any]:
        """Returns the part that is written to a file of results."""
        return {
            "op": self.op,
            "kind": self.kind,
            "text": self.text,
            "seed": self.seed,
            "output": self.output,
            "dtype": self.dtype,
            "words": self.words,
        }
