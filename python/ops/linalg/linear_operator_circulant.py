# SPDX-License-Identifier: Apache-2.0
"""Circulant matrices, plain and in blocks of two and three dimensions: convolutions that go round."""

from __future__ import annotations

import numpy as np

from tensorwright.python.framework import dtypes, ops, tensor_shape
from tensorwright.python.framework.type_aliases import DTypeLike, TensorLike
from tensorwright.python.ops import (
    array_ops,
    check_ops,
    gen_spectral_ops,
    math_ops,
)
from tensorwright.python.ops.linalg import (
    linear_operator,
    linear_operator_util as util,
)

_FFT = {1: gen_spectral_ops.fft, 2: gen_spectral_ops.fft2d, 3: gen_spectral_ops.fft3d}
_IFFT = {
    1: gen_spectral_ops.ifft,
    2: gen_spectral_ops.ifft2d,
    3: gen_spectral_ops.ifft3d,
}


class BaseLinearOperatorCirculant(linear_operator.LinearOperator):
    """F^-1 diag(spectrum) F, F the discrete Fourier transform of `block_depth` dimensions.

    spectrum: [B1, ..., Bb, N1, ..., Nd]; the matrices are [B1, ..., Bb, N, N], N the product of N1, ..., Nd, and a
        vector
    of N elements is a block [N1, ..., Nd], row by row.  A product costs O(N log N) for each column.  A real operator
    drops the imaginary part of products, which is 0 if the spectrum is that of a real block (Hermitian).
    """

    def __init__(
        self,
        spectrum: TensorLike,
        block_depth: int,
        input_output_dtype: DTypeLike,
        is_non_singular: bool | None,
        is_self_adjoint: bool | None,
        is_positive_definite: bool | None,
        is_square: bool | None,
        name: str,
        parameters: dict[str, object],
    ) -> None:
        """ValueError: a hint does not fit such matrices, or `spectrum` has too few dimensions.

        TypeError: `spectrum` is not floating.
        """
        if block_depth not in _FFT:
            raise ValueError(f"block_depth must be 1, 2 or 3, got {block_depth}")
        self._block_depth = block_depth
        with ops.name_scope(name, values=[spectrum]):
            self._spectrum = util.convert_nonref_to_tensor(spectrum, name="spectrum")
            dtype = util.known_dtype(self._spectrum)
            if dtype.is_integer:
                dtype = dtypes.as_dtype(input_output_dtype).real_dtype
                self._spectrum = math_ops.cast(self._spectrum, dtype)
            if not (dtype.is_floating or dtype.is_complex):
                raise TypeError(
                    f"Argument spectrum must be floating or complex, got {dtype.name}"
                )
            util.check_rank_at_least(self._spectrum, block_depth, "Argument spectrum")
            is_self_adjoint = util.implied(
                is_self_adjoint,
                not dtype.is_complex,
                "A real spectrum always corresponds to a self-adjoint operator.",
            )
            is_square = util.implied(
                is_square,
                True,
                "A [[nested] block] circulant operator is always square.",
            )
        super().__init__(
            input_output_dtype,
            None,
            is_non_singular,
            is_self_adjoint,
            is_positive_definite,
            is_square,
            name,
            parameters,
        )

    @property
    def block_depth(self) -> int:
        """d, the number of dimensions of a block."""
        return self._block_depth

    @property
    def spectrum(self) -> TensorLike:
        """The eigenvalues, as they were given."""
        return self._spectrum

    @property
    def block_shape(self) -> tensor_shape.TensorShape:
        """The static shape [N1, ..., Nd], as far as it is known."""
        shape = self._spectrum.get_shape()
        if shape.ndims is None:
            return tensor_shape.unknown_shape(self._block_depth)
        return shape[-self._block_depth :]

    def block_shape_tensor(self) -> ops.Tensor:
        """[N1, ..., Nd]: int32 [d]."""
        return util.known_or_tensor(
            self.block_shape,
            lambda: array_ops.shape(self._spectrum)[-self._block_depth :],
        )

    def _shape(self) -> tensor_shape.TensorShape:
        size = self.block_shape.num_elements()
        batch = util.static_batch(self._spectrum, self._block_depth)
        return util.batch_and_matrix(batch, size, size)

    def _shape_tensor(self) -> ops.Tensor:
        shape = array_ops.shape(self._spectrum)
        size = math_ops.reduce_prod(shape[-self._block_depth :])
        return array_ops.concat(
            [shape[: -self._block_depth], array_ops.stack([size, size])], 0
        )

    def _complex_spectrum(self) -> ops.Tensor:
        return _as_complex(ops.convert_to_tensor(self._spectrum))

    def _transformed(self, x: ops.Tensor, spectrum: ops.Tensor) -> ops.Tensor:
        """F^-1 diag(spectrum) F x: [..., N, R] -> [..., N, R]."""
        rows = _as_complex(array_ops.matrix_transpose(x))
        if spectrum.dtype.base_dtype != rows.dtype.base_dtype:
            # Neither may lose digits.
            spectrum = math_ops.cast(spectrum, dtypes.complex128)
            rows = math_ops.cast(rows, dtypes.complex128)
        block = self.block_shape_tensor()
        blocks = array_ops.reshape(
            rows, array_ops.concat([array_ops.shape(rows)[:-1], block], 0)
        )
        depth = self._block_depth
        if x.get_shape().ndims is not None:
            blocks.set_shape(rows.get_shape()[:-1].concatenate(self.block_shape))
        product = _FFT[depth](blocks) * array_ops.expand_dims(spectrum, -depth - 1)
        blocks = _IFFT[depth](product)
        shape = array_ops.shape(blocks)
        rows = array_ops.reshape(
            blocks,
            array_ops.concat([shape[:-depth], [math_ops.reduce_prod(block)]], 0),
        )
        result = math_ops.cast(array_ops.matrix_transpose(rows), self.dtype)
        if None not in (x.get_shape().ndims, self.batch_shape.ndims):
            batch = array_ops.broadcast_static_shape(
                util.static_batch(x), self.batch_shape
            )
            columns = x.get_shape().as_list()[-1]
            result.set_shape(
                util.batch_and_matrix(batch, self.range_dimension, columns)
            )
        return result

    def _matmul(
        self, x: ops.Tensor, adjoint: bool = False, adjoint_arg: bool = False
    ) -> ops.Tensor:
        spectrum = util.conj_if(self._complex_spectrum(), adjoint)
        return self._transformed(util.adjoint_if(x, adjoint_arg), spectrum)

    def _solve(
        self, rhs: ops.Tensor, adjoint: bool = False, adjoint_arg: bool = False
    ) -> ops.Tensor:
        spectrum = util.conj_if(self._complex_spectrum(), adjoint)
        return self._transformed(util.adjoint_if(rhs, adjoint_arg), 1 / spectrum)

    def _flat_spectrum(self) -> ops.Tensor:
        """[B1, ..., Bb, N]."""
        spectrum = ops.convert_to_tensor(self._spectrum)
        if self._block_depth == 1:
            return spectrum
        shape = array_ops.shape(spectrum)[: -self._block_depth]
        flat = array_ops.reshape(
            spectrum, array_ops.concat([shape, self.shape_tensor()[-1:]], 0)
        )
        flat.set_shape(self.shape[:-1])
        return flat

    def _determinant(self) -> ops.Tensor:
        product = math_ops.reduce_prod(self._flat_spectrum(), axis=-1)
        return math_ops.cast(product, self.dtype)

    def _log_abs_determinant(self) -> ops.Tensor:
        logs = math_ops.log(math_ops.abs(self._flat_spectrum()))
        return math_ops.cast(math_ops.reduce_sum(logs, axis=-1), self.dtype)

    def _trace(self) -> ops.Tensor:
        total = math_ops.reduce_sum(self._flat_spectrum(), axis=-1)
        return math_ops.cast(total, self.dtype)

    def _diag_part(self) -> ops.Tensor:
        """The first element of the convolution kernel everywhere: the spectrum's mean."""
        spectrum = self._flat_spectrum()
        mean = math_ops.reduce_mean(spectrum, axis=-1, keepdims=True)
        result = math_ops.cast(mean * array_ops.ones_like(spectrum), self.dtype)
        return result

    def _eigvals(self) -> ops.Tensor:
        return math_ops.cast(self._flat_spectrum(), self.dtype)

    def _cond(self) -> ops.Tensor:
        return util.ratio_of_extremes(math_ops.abs(self._flat_spectrum()))

    def convolution_kernel(self, name: str = "convolution_kernel") -> ops.Tensor:
        """The block by which the operator convolves, the inverse transform of the spectrum: [B1, ..., Bb, N1, ..., Nd]."""
        with self._scope(name):
            kernel = _IFFT[self._block_depth](self._complex_spectrum())
            return math_ops.cast(kernel, self.dtype)

    def assert_hermitian_spectrum(
        self, name: str = "assert_hermitian_spectrum"
    ) -> ops.Operation:
        """An op that fails the run unless the convolution kernel is real, up to rounding."""
        with self._scope(name):
            kernel = _IFFT[self._block_depth](self._complex_spectrum())
            part = math_ops.abs(math_ops.imag(kernel))
            real = part.dtype.base_dtype
            epsilon = float(np.finfo(real.as_numpy_dtype).eps)
            size = math_ops.cast(self.domain_dimension_tensor(), real)
            return check_ops.assert_less(
                part, epsilon * size, message="Spectrum was not Hermitian"
            )

    def _assert_non_singular(self) -> ops.Operation:
        return util.assert_no_entries_with_modulus_zero(
            self._spectrum,
            message="Singular operator:  Spectrum contained zero values.",
        )

    def _assert_positive_definite(self) -> ops.Operation:
        return check_ops.assert_positive(
            math_ops.real(self._spectrum),
            message="Not positive definite:  Real part of spectrum was not all positive.",
        )

    def _assert_self_adjoint(self) -> ops.Operation:
        return util.assert_zero_imag_part(
            self._spectrum,
            message="Not self-adjoint:  The spectrum contained non-zero imaginary part.",
        )


def _as_complex(x: ops.Tensor) -> ops.Tensor:
    """The same numbers in the complex dtype that holds them."""
    dtype = x.dtype.base_dtype
    if dtype.is_complex:
        return x
    wide = dtype == dtypes.float64
    return math_ops.cast(x, dtypes.complex128 if wide else dtypes.complex64)


class LinearOperatorCirculant(BaseLinearOperatorCirculant):
    """Matrices whose rows are the row above, moved by one place: spectrum [B1, ..., Bb, N] -> [B1, ..., Bb, N, N]."""

    def __init__(
        self,
        spectrum: TensorLike,
        input_output_dtype: DTypeLike = dtypes.complex64,
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = True,
        name: str = "LinearOperatorCirculant",
    ) -> None:
        """
        spectrum: float or complex, the Fourier transform of the first column.
        input_output_dtype: the operator's dtype, which need not be that of `spectrum`.
        """
        parameters = dict(locals())
        super().__init__(
            spectrum,
            1,
            input_output_dtype,
            is_non_singular,
            is_self_adjoint,
            is_positive_definite,
            is_square,
            name,
            parameters,
        )


class LinearOperatorCirculant2D(BaseLinearOperatorCirculant):
    """Block circulant matrices with circulant blocks: spectrum [B1, ..., Bb, N0, N1] -> [B1, ..., Bb, N0 N1, N0 N1]."""

    def __init__(
        self,
        spectrum: TensorLike,
        input_output_dtype: DTypeLike = dtypes.complex64,
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = True,
        name: str = "LinearOperatorCirculant2D",
    ) -> None:
        """As LinearOperatorCirculant."""
        parameters = dict(locals())
        super().__init__(
            spectrum,
            2,
            input_output_dtype,
            is_non_singular,
            is_self_adjoint,
            is_positive_definite,
            is_square,
            name,
            parameters,
        )


class LinearOperatorCirculant3D(BaseLinearOperatorCirculant):
    """Circulant matrices nested twice in circulant ones: spectrum [..., N0, N1, N2] -> [..., N, N], N = N0 N1 N2."""

    def __init__(
        self,
        spectrum: TensorLike,
        input_output_dtype: DTypeLike = dtypes.complex64,
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = True,
        name: str = "LinearOperatorCirculant3D",
    ) -> None:
        """As LinearOperatorCirculant."""
        parameters = dict(locals())
        super().__init__(
            spectrum,
            3,
            input_output_dtype,
            is_non_singular,
            is_self_adjoint,
            is_positive_definite,
            is_square,
            name,
            parameters,
        )
