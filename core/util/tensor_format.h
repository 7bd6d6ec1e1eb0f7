// SPDX-License-Identifier: Apache-2.0
// The data_format attr: the order of the dimensions of a tensor of images.
#ifndef TENSORWRIGHT_CORE_UTIL_TENSOR_FORMAT_H_
#define TENSORWRIGHT_CORE_UTIL_TENSOR_FORMAT_H_

#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "core/framework/tensor.h"
#include "core/framework/tensor_shape.h"

namespace tensorwright {

// N is the batch, H and W (or more or fewer letters) space, C the channels.
enum TensorFormat {
  FORMAT_NHWC = 0,
  FORMAT_NCHW = 1,
  FORMAT_NCHW_VECT_C = 2,
  FORMAT_NHWC_VECT_W = 3,
  FORMAT_HWNC = 4,
  FORMAT_HWCN = 5,
};

// For a filter: H and W are space, I and O input and output channels.
enum FilterTensorFormat {
  FORMAT_HWIO = 0,
  FORMAT_OIHW = 1,
  FORMAT_OHWI = 2,
  FORMAT_OIHW_VECT_I = 3,
};

// False if the text is no format.  "NDHWC" reads as FORMAT_NHWC, "NCW" as
// FORMAT_NCHW: the tensor has the rank.
bool FormatFromString(absl::string_view s, TensorFormat* format);
std::string ToString(TensorFormat format);

// The number of dimensions between batch and channels of a tensor of rank
// `num_dims`, and the reverse.
int GetTensorSpatialDims(int num_dims, TensorFormat format);
int GetTensorDimsFromSpatialDims(int num_spatial_dims, TensorFormat format);

// The positions of batch, channels, and spatial dimension `i` (0 is the first
// of them); `num_dims` is the rank.
int GetTensorBatchDimIndex(int num_dims, TensorFormat format);
int GetTensorFeatureDimIndex(int num_dims, TensorFormat format);
int GetTensorSpatialDimIndex(int num_dims, TensorFormat format, int i);
// The position by letter: 'N', 'C', '0'... and, with NUM_SPATIAL_DIMS == 2, 'H'
// and 'W'; -1 for another letter.
int GetTensorDimIndex(TensorFormat format, char dimension, int num_total_dims);
template <int NUM_SPATIAL_DIMS>
int GetTensorDimIndex(TensorFormat format, char dimension) {
  return GetTensorDimIndex(format, dimension, NUM_SPATIAL_DIMS + 2);
}
inline int GetTensorDimIndex(TensorFormat format, char dimension) {
  return GetTensorDimIndex(format, dimension, 4);
}

// The size of a dimension by letter.
template <typename T>
T GetTensorDim(absl::Span<const T> sizes, TensorFormat format, char dimension) {
  return sizes[GetTensorDimIndex(format, dimension,
                                 static_cast<int>(sizes.size()))];
}
template <typename T>
T GetTensorDim(const std::vector<T>& sizes, TensorFormat format,
               char dimension) {
  return GetTensorDim(absl::Span<const T>(sizes), format, dimension);
}
inline int64_t GetTensorDim(const TensorShape& shape, TensorFormat format,
                            char dimension) {
  return GetTensorDim(shape.dim_sizes(), format, dimension);
}
inline int64_t GetTensorDim(const Tensor& tensor, TensorFormat format,
                            char dimension) {
  return GetTensorDim(tensor.shape(), format, dimension);
}

// The shape [N, spatial..., C] in the order of `format`.
TensorShape ShapeFromFormat(TensorFormat format, int64_t n,
                            absl::Span<const int64_t> spatial, int64_t c);
TensorShape ShapeFromFormat(TensorFormat format, int64_t n, int64_t h,
                            int64_t w, int64_t c);
// A shape of one format, converted to another.
TensorShape ShapeFromFormat(TensorFormat dst_format,
                            const TensorShape& src_shape,
                            TensorFormat src_format);

// The text of the attr for REGISTER_OP.
std::string GetConvnetDataFormatAttrString();
std::string GetConvnet3dDataFormatAttrString();
std::string GetConvnetDataFormat2D3DAttrString();

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_UTIL_TENSOR_FORMAT_H_
