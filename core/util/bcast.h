// SPDX-License-Identifier: Apache-2.0
// BCast: how two shapes broadcast against each other.
#ifndef TENSORWRIGHT_CORE_UTIL_BCAST_H_
#define TENSORWRIGHT_CORE_UTIL_BCAST_H_

#include <array>
#include <cstddef>
#include <cstdint>

#include "absl/container/inlined_vector.h"
#include "core/framework/tensor_shape.h"
#include "core/platform/logging.h"

namespace tensorwright {

// NumPy's rule: shapes are aligned at the last dimension, sizes must be equal
// or one of them 1.
//
// Besides the output shape it gives the least work: neighbouring dimensions
// that broadcast alike are merged, so
// x.reshape(x_reshape()).broadcast(x_bcast()) has result_shape(), which holds
// the elements of output_shape() in the same order.
//
//   x [2,3,4], y [4]:  x_reshape [6,4], x_bcast [1,1],
//                      y_reshape [1,4], y_bcast [6,1], result_shape [6,4]
class BCast {
 public:
  using Vec = absl::InlinedVector<int64_t, 4>;

  // With `fewer_dims_optimization` false nothing is merged.
  BCast(absl::Span<const int64_t> x, absl::Span<const int64_t> y,
        bool fewer_dims_optimization = true);

  bool IsValid() const { return valid_; }
  // Does some dimension broadcast?  False for valid shapes that are equal but
  // for leading dimensions of 1.
  bool IsBroadcastingRequired() const { return broadcasting_; }

  const Vec& x_reshape() const { return x_reshape_; }
  const Vec& x_bcast() const { return x_bcast_; }
  const Vec& y_reshape() const { return y_reshape_; }
  const Vec& y_bcast() const { return y_bcast_; }
  const Vec& result_shape() const { return result_; }
  const Vec& output_shape() const { return output_; }
  // The dimensions of the output over which the gradient of x (of y) is summed.
  const Vec& grad_x_reduce_idx() const { return grad_x_reduce_idx_; }
  const Vec& grad_y_reduce_idx() const { return grad_y_reduce_idx_; }

  static Vec FromShape(const TensorShape& shape) {
    return Vec(shape.dim_sizes().begin(), shape.dim_sizes().end());
  }
  static TensorShape ToShape(const Vec& vec) {
    return TensorShape(absl::Span<const int64_t>(vec));
  }
  // The array that Eigen's reshape and broadcast take; `vec` has NDIMS sizes.
  template <int NDIMS>
  static std::array<std::ptrdiff_t, NDIMS> ToIndexArray(const Vec& vec) {
    CHECK_EQ(vec.size(), NDIMS);
    std::array<std::ptrdiff_t, NDIMS> out;
    for (int d = 0; d < NDIMS; ++d) out[d] = vec[d];
    return out;
  }

 private:
  bool valid_ = true;
  bool broadcasting_ = false;
  Vec x_reshape_, x_bcast_, y_reshape_, y_bcast_, result_, output_;
  Vec grad_x_reduce_idx_, grad_y_reduce_idx_;
};

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_UTIL_BCAST_H_
