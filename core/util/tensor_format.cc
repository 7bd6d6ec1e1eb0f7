// SPDX-License-Identifier: Apache-2.0
// Finds the position of each dimension of an image tensor.
#include "core/util/tensor_format.h"

#include "core/platform/logging.h"

namespace tensorwright {
namespace {

// The vectorized formats split channels (or width) and keep 4 of them
// innermost.
bool IsVectorized(TensorFormat format) {
  return format == FORMAT_NCHW_VECT_C || format == FORMAT_NHWC_VECT_W;
}

}  // namespace

bool FormatFromString(absl::string_view s, TensorFormat* format) {
  if (s == "NHWC" || s == "NDHWC" || s == "NWC") {
    *format = FORMAT_NHWC;
  } else if (s == "NCHW" || s == "NCDHW" || s == "NCW") {
    *format = FORMAT_NCHW;
  } else if (s == "NCHW_VECT_C") {
    *format = FORMAT_NCHW_VECT_C;
  } else if (s == "NHWC_VECT_W") {
    *format = FORMAT_NHWC_VECT_W;
  } else if (s == "HWNC") {
    *format = FORMAT_HWNC;
  } else if (s == "HWCN") {
    *format = FORMAT_HWCN;
  } else {
    return false;
  }
  return true;
}

std::string ToString(TensorFormat format) {
  switch (format) {
    case FORMAT_NHWC:
      return "NHWC";
    case FORMAT_NCHW:
      return "NCHW";
    case FORMAT_NCHW_VECT_C:
      return "NCHW_VECT_C";
    case FORMAT_NHWC_VECT_W:
      return "NHWC_VECT_W";
    case FORMAT_HWNC:
      return "HWNC";
    case FORMAT_HWCN:
      return "HWCN";
  }
  return "INVALID";
}

int GetTensorSpatialDims(int num_dims, TensorFormat format) {
  return num_dims - (IsVectorized(format) ? 3 : 2);
}

int GetTensorDimsFromSpatialDims(int num_spatial_dims, TensorFormat format) {
  return num_spatial_dims + (IsVectorized(format) ? 3 : 2);
}

int GetTensorBatchDimIndex(int num_dims, TensorFormat format) {
  switch (format) {
    case FORMAT_HWNC:
      return num_dims - 2;
    case FORMAT_HWCN:
      return num_dims - 1;
    default:
      return 0;
  }
}

int GetTensorFeatureDimIndex(int num_dims, TensorFormat format) {
  switch (format) {
    case FORMAT_NHWC:
    case FORMAT_HWNC:
      return num_dims - 1;
    case FORMAT_NHWC_VECT_W:
    case FORMAT_HWCN:
      return num_dims - 2;
    default:
      return 1;
  }
}

int GetTensorSpatialDimIndex(int num_dims, TensorFormat format, int i) {
  CHECK(i >= 0 && i < GetTensorSpatialDims(num_dims, format));
  switch (format) {
    case FORMAT_NHWC:
    case FORMAT_NHWC_VECT_W:
      return i + 1;
    case FORMAT_NCHW:
    case FORMAT_NCHW_VECT_C:
      return i + 2;
    default:
      return i;
  }
}

int GetTensorDimIndex(TensorFormat format, char dimension, int num_total_dims) {
  const int spatial = GetTensorSpatialDims(num_total_dims, format);
  switch (dimension) {
    case 'N':
      return GetTensorBatchDimIndex(num_total_dims, format);
    case 'C':
      return GetTensorFeatureDimIndex(num_total_dims, format);
    // Height and width are the last two spatial dimensions.
    case 'H':
      return spatial < 2 ? -1
                         : GetTensorSpatialDimIndex(num_total_dims, format,
                                                    spatial - 2);
    case 'W':
      return spatial < 1 ? -1
                         : GetTensorSpatialDimIndex(num_total_dims, format,
                                                    spatial - 1);
    default: {
      const int i = dimension - '0';
      return i < 0 || i >= spatial
                 ? -1
                 : GetTensorSpatialDimIndex(num_total_dims, format, i);
    }
  }
}

TensorShape ShapeFromFormat(TensorFormat format, int64_t n,
                            absl::Span<const int64_t> spatial, int64_t c) {
  const int num_spatial = static_cast<int>(spatial.size());
  const int dims = GetTensorDimsFromSpatialDims(num_spatial, format);
  absl::InlinedVector<int64_t, 6> sizes(dims, 4);
  sizes[GetTensorBatchDimIndex(dims, format)] = n;
  for (int i = 0; i < num_spatial; ++i) {
    sizes[GetTensorSpatialDimIndex(dims, format, i)] = spatial[i];
  }
  if (format == FORMAT_NCHW_VECT_C) c /= 4;
  if (format == FORMAT_NHWC_VECT_W) {
    sizes[GetTensorSpatialDimIndex(dims, format, num_spatial - 1)] /= 4;
  }
  sizes[GetTensorFeatureDimIndex(dims, format)] = c;
  return TensorShape(absl::Span<const int64_t>(sizes));
}

TensorShape ShapeFromFormat(TensorFormat format, int64_t n, int64_t h,
                            int64_t w, int64_t c) {
  return ShapeFromFormat(format, n, {h, w}, c);
}

TensorShape ShapeFromFormat(TensorFormat dst_format,
                            const TensorShape& src_shape,
                            TensorFormat src_format) {
  if (src_format == dst_format) return src_shape;
  const int dims = src_shape.dims();
  int64_t c = src_shape.dim_size(GetTensorFeatureDimIndex(dims, src_format));
  if (src_format == FORMAT_NCHW_VECT_C) c *= 4;
  absl::InlinedVector<int64_t, 4> spatial;
  for (int i = 0; i < GetTensorSpatialDims(dims, src_format); ++i) {
    spatial.push_back(
        src_shape.dim_size(GetTensorSpatialDimIndex(dims, src_format, i)));
  }
  if (src_format == FORMAT_NHWC_VECT_W) spatial.back() *= 4;
  return ShapeFromFormat(
      dst_format, src_shape.dim_size(GetTensorBatchDimIndex(dims, src_format)),
      spatial, c);
}

std::string GetConvnetDataFormatAttrString() {
  return "data_format: {'NHWC', 'NCHW'} = 'NHWC'";
}

std::string GetConvnet3dDataFormatAttrString() {
  return "data_format: {'NDHWC', 'NCDHW'} = 'NDHWC'";
}

std::string GetConvnetDataFormat2D3DAttrString() {
  return "data_format: {'NHWC', 'NCHW', 'NDHWC', 'NCDHW'} = 'NHWC'";
}

}  // namespace tensorwright
