// SPDX-License-Identifier: Apache-2.0
// The parts of TensorFlow's tensor_format.h that our own code does not need:
// the dimensions of filters.
#ifndef TENSORWRIGHT_CORE_COMPAT_UTIL_TENSOR_FORMAT_H_
#define TENSORWRIGHT_CORE_COMPAT_UTIL_TENSOR_FORMAT_H_

#include <string>

#include "absl/strings/string_view.h"
#include "core/util/tensor_format.h"

namespace tensorwright {

inline std::string GetConvnetFilterFormatAttrString() {
  return "filter_format: { 'HWIO', 'OIHW' } = 'HWIO' ";
}
inline std::string GetConvnet3dFilterFormatAttrString() {
  return "filter_format: { 'DHWIO', 'OIDHW' } = 'DHWIO' ";
}

// False if the text is no format.
bool FilterFormatFromString(absl::string_view s, FilterTensorFormat* format);
std::string ToString(FilterTensorFormat format);

// The positions of input or output channels, or of the spatial dimension `i`.
int GetFilterTensorInputChannelsDimIndex(int num_dims,
                                         FilterTensorFormat format);
int GetFilterTensorOutputChannelsDimIndex(int num_dims,
                                          FilterTensorFormat format);
int GetFilterTensorSpatialDimIndex(int num_dims, FilterTensorFormat format,
                                   int i);
// The position by letter: 'I', 'O', '0'... and with two spatial dimensions 'H'
// and 'W'; -1 for another letter.
int GetFilterDimIndex(FilterTensorFormat format, char dimension, int num_dims);
template <int NUM_SPATIAL_DIMS>
int GetFilterDimIndex(FilterTensorFormat format, char dimension) {
  return GetFilterDimIndex(format, dimension, NUM_SPATIAL_DIMS + 2);
}

inline int64_t GetFilterDim(const TensorShape& shape, FilterTensorFormat format,
                            char dimension) {
  return shape.dim_size(GetFilterDimIndex(format, dimension, shape.dims()));
}
inline int64_t GetFilterDim(const Tensor& tensor, FilterTensorFormat format,
                            char dimension) {
  return GetFilterDim(tensor.shape(), format, dimension);
}

// Converts a filter's shape from one format to another.
TensorShape ShapeFromFilterTensorFormat(FilterTensorFormat format,
                                        absl::Span<const int64_t> spatial,
                                        int64_t in, int64_t out);

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_COMPAT_UTIL_TENSOR_FORMAT_H_
