// SPDX-License-Identifier: Apache-2.0
// Finds the elements of matrices' diagonals, and copies them out of matrices
// and into them.
#ifndef TENSORWRIGHT_CORE_KERNELS_ARRAY_DIAG_OP_BAND_H_
#define TENSORWRIGHT_CORE_KERNELS_ARRAY_DIAG_OP_BAND_H_

#include <algorithm>
#include <cstdint>

#include "core/framework/op_kernel.h"
#include "core/framework/tensor.h"

namespace tensorwright {

// Diagonals `lower` to `upper` of matrices [batch, rows, cols], stored from the
// highest down as [batch, upper - lower + 1, len].
struct DiagonalBand {
  int64_t batch = 1, rows = 0, cols = 0;
  int64_t lower = 0, upper = 0;
  int64_t len = 0;  // The length of the longest one.
  bool left_super = false, left_sub = true;

  int64_t count() const { return upper - lower + 1; }
  // The number of elements of diagonal d, and their offset in its row of `len`.
  int64_t Size(int64_t d) const {
    return std::min(rows + std::min<int64_t>(d, 0),
                    cols - std::max<int64_t>(d, 0));
  }
  int64_t Offset(int64_t d) const {
    const bool left = (d >= 0 && left_super) || (d <= 0 && left_sub);
    return left ? 0 : len - Size(d);
  }
  void SetLen() {
    len = std::min(rows + std::min<int64_t>(upper, 0),
                   cols - std::max<int64_t>(lower, 0));
  }
};

// Sets output 0, of shape `shape`, to the diagonals of the matrices `in`.  The
// elements beside a shorter diagonal are the scalar `padding`, or zero if that
// is null.
void ReadDiagonals(OpKernelContext* ctx, const Tensor& in,
                   const DiagonalBand& band, const Tensor* padding,
                   const TensorShape& shape);

// Sets output 0 to matrices, of shape `shape`, with these diagonals.  The other
// elements come from `base`, a tensor of that shape, or are the scalar
// `padding`, or zero: both may be null.
void WriteDiagonals(OpKernelContext* ctx, const Tensor& diagonals,
                    const DiagonalBand& band, const Tensor* base,
                    const Tensor* padding, const TensorShape& shape);

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_KERNELS_ARRAY_DIAG_OP_BAND_H_
