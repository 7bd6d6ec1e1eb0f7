// SPDX-License-Identifier: Apache-2.0
#include "core/compat/util/tensor_format.h"

#include <vector>

namespace tensorwright {

bool FilterFormatFromString(absl::string_view s, FilterTensorFormat* format) {
  if (s == "HWIO" || s == "DHWIO") {
    *format = FORMAT_HWIO;
  } else if (s == "OIHW" || s == "OIDHW") {
    *format = FORMAT_OIHW;
  } else if (s == "OHWI" || s == "ODHWI") {
    *format = FORMAT_OHWI;
  } else if (s == "OIHW_VECT_I") {
    *format = FORMAT_OIHW_VECT_I;
  } else {
    return false;
  }
  return true;
}

std::string ToString(FilterTensorFormat format) {
  switch (format) {
    case FORMAT_HWIO:
      return "HWIO";
    case FORMAT_OIHW:
      return "OIHW";
    case FORMAT_OHWI:
      return "OHWI";
    case FORMAT_OIHW_VECT_I:
      return "OIHW_VECT_I";
  }
  return "INVALID_FORMAT";
}

int GetFilterTensorInputChannelsDimIndex(int num_dims,
                                         FilterTensorFormat format) {
  switch (format) {
    case FORMAT_HWIO:
      return num_dims - 2;
    case FORMAT_OHWI:
      return num_dims - 1;
    default:
      return 1;
  }
}

int GetFilterTensorOutputChannelsDimIndex(int num_dims,
                                          FilterTensorFormat format) {
  return format == FORMAT_HWIO ? num_dims - 1 : 0;
}

int GetFilterTensorSpatialDimIndex(int, FilterTensorFormat format, int i) {
  switch (format) {
    case FORMAT_HWIO:
      return i;
    case FORMAT_OHWI:
      return i + 1;
    default:
      return i + 2;
  }
}

int GetFilterDimIndex(FilterTensorFormat format, char dimension, int num_dims) {
  switch (dimension) {
    case 'I':
      return GetFilterTensorInputChannelsDimIndex(num_dims, format);
    case 'O':
      return GetFilterTensorOutputChannelsDimIndex(num_dims, format);
    case 'H':
      return GetFilterTensorSpatialDimIndex(num_dims, format, 0);
    case 'W':
      return GetFilterTensorSpatialDimIndex(num_dims, format, 1);
    case '0':
    case '1':
    case '2':
      return GetFilterTensorSpatialDimIndex(num_dims, format, dimension - '0');
    default:
      return -1;
  }
}

TensorShape ShapeFromFilterTensorFormat(FilterTensorFormat format,
                                        absl::Span<const int64_t> spatial,
                                        int64_t in, int64_t out) {
  const int dims = static_cast<int>(spatial.size()) + 2;
  std::vector<int64_t> sizes(static_cast<size_t>(dims));
  const auto set = [&sizes](int at, int64_t size) {
    sizes[static_cast<size_t>(at)] = size;
  };
  set(GetFilterTensorInputChannelsDimIndex(dims, format), in);
  set(GetFilterTensorOutputChannelsDimIndex(dims, format), out);
  for (int i = 0; i < dims - 2; ++i) {
    set(GetFilterTensorSpatialDimIndex(dims, format, i),
        spatial[static_cast<size_t>(i)]);
  }
  return TensorShape(sizes);
}

}  // namespace tensorwright
