// SPDX-License-Identifier: Apache-2.0
// Helpers for shapes in kernels with windows and strides.
#ifndef TENSORWRIGHT_CORE_COMPAT_FRAMEWORK_OPS_UTIL_H_
#define TENSORWRIGHT_CORE_COMPAT_FRAMEWORK_OPS_UTIL_H_

#include <cstdint>
#include <string>

#include "absl/container/inlined_vector.h"
#include "core/framework/tensor_shape.h"
#include "core/framework/tensor_types.h"
#include "core/util/padding.h"

namespace tensorwright {

// Eigen's padding for SAME and VALID.
Eigen::PaddingType BrainPadding2EigenPadding(Padding padding);

// Do rows of the innermost dimension, or slices of the first, start on the
// boundary that Eigen's aligned maps need?
template <typename T>
bool IsInnerDimsSizeAligned(const TensorShape& s) {
  if (s.dims() == 0) return false;
  const int64_t first = s.dim_size(0), n = s.num_elements();
  const int64_t boundary = EIGEN_MAX_ALIGN_BYTES;
  if (first == 0 || boundary == 0) return true;
  return n / first * static_cast<int64_t>(sizeof(T)) % boundary == 0;
}
template <typename T>
bool IsDim0SliceAligned(const TensorShape& s, int64_t start, int64_t) {
  if (s.dims() == 1) {
    const int64_t boundary = EIGEN_MAX_ALIGN_BYTES;
    return boundary == 0 ||
           start * static_cast<int64_t>(sizeof(T)) % boundary == 0;
  }
  return IsInnerDimsSizeAligned<T>(s);
}

// "a/b:0" as one name of letters, digits and underscores.
std::string SanitizeThreadSuffix(std::string suffix);

// For each dimension of a row-major tensor, the number of elements between
// neighbours along it.
template <typename T>
absl::InlinedVector<T, 8> ComputeStride(const TensorShape& shape) {
  absl::InlinedVector<T, 8> strides(shape.dims());
  T stride = 1;
  for (int d = shape.dims() - 1; d >= 0; --d) {
    strides[d] = stride;
    stride *= static_cast<T>(shape.dim_size(d));
  }
  return strides;
}
template <typename T, typename EigenDimensions>
absl::InlinedVector<T, 8> ComputeEigenStrides(const EigenDimensions& sizes) {
  absl::InlinedVector<T, 8> strides(sizes.rank());
  T stride = 1;
  for (int d = static_cast<int>(sizes.rank()) - 1; d >= 0; --d) {
    strides[d] = stride;
    stride *= static_cast<T>(sizes[d]);
  }
  return strides;
}

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_COMPAT_FRAMEWORK_OPS_UTIL_H_
