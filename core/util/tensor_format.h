// SPDX-License-Identifier: Apache-2.0
// The data_format attr: which dimension of an image batch is which.
#ifndef TENSORWRIGHT_CORE_UTIL_TENSOR_FORMAT_H_
#define TENSORWRIGHT_CORE_UTIL_TENSOR_FORMAT_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "core/framework/tensor_shape.h"

namespace tensorwright {

enum TensorFormat {
  FORMAT_NHWC = 0,         // [batch, space..., depth]
  FORMAT_NCHW = 1,         // [batch, depth, space...]
  FORMAT_NCHW_VECT_C = 2,  // [batch, depth / 4, space..., 4], int8 on a GPU
};

// False for a name that is none of these ("NDHWC" is NHWC with 3-d space).
bool FormatFromString(absl::string_view text, TensorFormat* format);

std::string ToString(TensorFormat format);

// Index of the batch ('N'), depth ('C') or a space dimension ('H', 'W', or
// '0', '1', '2') in a tensor of num_dims dimensions.
inline int GetTensorBatchDimIndex(int /*num_dims*/, TensorFormat) { return 0; }

inline int GetTensorFeatureDimIndex(int num_dims, TensorFormat format) {
  return format == FORMAT_NHWC ? num_dims - 1 : 1;
}

inline int GetTensorSpatialDimIndex(int /*num_dims*/, TensorFormat format,
                                    int spatial_dim) {
  return spatial_dim + (format == FORMAT_NHWC ? 1 : 2);
}

// The same for images with two space dimensions, 'H' and 'W'.
template <int kSpatialDims = 2>
inline int GetTensorDimIndex(TensorFormat format, char dimension) {
  constexpr int kDims = kSpatialDims + 2;
  switch (dimension) {
    case 'N':
      return 0;
    case 'C':
      return GetTensorFeatureDimIndex(kDims, format);
    case 'H':
      return GetTensorSpatialDimIndex(kDims, format, kSpatialDims - 2);
    case 'W':
      return GetTensorSpatialDimIndex(kDims, format, kSpatialDims - 1);
    default:
      return GetTensorSpatialDimIndex(kDims, format, dimension - '0');
  }
}

// One value of a list of four that is in the order of `format`.
template <typename T>
T GetTensorDim(absl::Span<const T> values, TensorFormat format,
               char dimension) {
  return values[GetTensorDimIndex(format, dimension)];
}

template <typename T>
T GetTensorDim(const std::vector<T>& values, TensorFormat format,
               char dimension) {
  return values[GetTensorDimIndex(format, dimension)];
}

inline int64_t GetTensorDim(const TensorShape& shape, TensorFormat format,
                            char dimension) {
  return shape.dim_size(GetTensorDimIndex(format, dimension));
}

// [n, h, w, c] in the order of `format`.
inline TensorShape ShapeFromFormat(TensorFormat format, int64_t n, int64_t h,
                                   int64_t w, int64_t c) {
  return format == FORMAT_NHWC ? TensorShape({n, h, w, c})
                               : TensorShape({n, c, h, w});
}

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_UTIL_TENSOR_FORMAT_H_
