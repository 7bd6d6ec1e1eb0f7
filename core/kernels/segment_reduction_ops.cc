// SPDX-License-Identifier: Apache-2.0
// Kernels of SegmentSum and UnsortedSegmentSum.

#include <algorithm>
#include <cstring>
#include <vector>

#include "core/framework/numeric_types.h"
#include "core/framework/op_kernel.h"
#include "core/kernels/cwise_ops.h"
#include "core/lib/core/errors.h"

namespace tensorwright {
namespace {

// The ids, whatever their type.
std::vector<int64_t> ReadIds(const Tensor& ids) {
  std::vector<int64_t> out(ids.NumElements());
  if (ids.dtype() == DT_INT16) {
    std::copy_n(ids.base<int16>(), out.size(), out.data());
  } else if (ids.dtype() == DT_INT32) {
    std::copy_n(ids.base<int32>(), out.size(), out.data());
  } else {
    std::copy_n(ids.base<int64_t>(), out.size(), out.data());
  }
  return out;
}

// sums[ids[i], :] += data[i, :] for ids[i] >= 0, after clearing.  half and
// bfloat16 are added as floats and rounded once.
template <typename T>
void AddSegments(const T* data, const std::vector<int64_t>& ids, int64_t row,
                 int64_t segments, T* sums) {
  using C = ComputeType<T>;
  std::vector<C> wide;
  C* to = nullptr;
  if constexpr (std::is_same_v<C, T>) {
    to = sums;
    std::fill_n(to, segments * row, C(0));
  } else {
    wide.assign(segments * row, C(0));
    to = wide.data();
  }
  for (size_t i = 0; i < ids.size(); ++i) {
    if (ids[i] < 0) continue;
    const T* in = data + i * row;
    C* out = to + ids[i] * row;
    for (int64_t j = 0; j < row; ++j) {
      out[j] = functor::Add<C>()(out[j], static_cast<C>(in[j]));
    }
  }
  if constexpr (!std::is_same_v<C, T>) {
    for (int64_t i = 0; i < segments * row; ++i) {
      sums[i] = static_cast<T>(to[i]);
    }
  }
}

}  // namespace

template <typename T>
class SegmentSumOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* ctx) override {
    const Tensor& data = ctx->input(0);
    const Tensor& segment_ids = ctx->input(1);
    OP_REQUIRES(ctx,
                segment_ids.dims() == 1 && data.dims() >= 1 &&
                    segment_ids.NumElements() == data.dim_size(0),
                errors::InvalidArgument(
                    "SegmentSum: segment_ids should be a vector of the size of "
                    "dimension 0 of data, got ",
                    segment_ids.shape().DebugString(), " and data ",
                    data.shape().DebugString()));
    const std::vector<int64_t> ids = ReadIds(segment_ids);
    for (size_t i = 0; i < ids.size(); ++i) {
      OP_REQUIRES(ctx, ids[i] >= 0,
                  errors::InvalidArgument(
                      "SegmentSum: segment ids must be >= 0, got ", ids[i]));
      OP_REQUIRES(ctx, i == 0 || ids[i - 1] <= ids[i],
                  errors::InvalidArgument(
                      "SegmentSum: segment ids are not increasing"));
    }
    const int64_t segments = ids.empty() ? 0 : ids.back() + 1;
    TensorShape shape = data.shape();
    OP_REQUIRES_OK(ctx, shape.SetDimWithStatus(0, segments));
    Tensor* sums = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, shape, &sums));
    if (sums->NumElements() == 0) return;
    AddSegments(data.base<T>(), ids, sums->NumElements() / segments, segments,
                sums->base<T>());
  }
};

template <typename T>
class UnsortedSegmentSumOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* ctx) override {
    const Tensor& data = ctx->input(0);
    const Tensor& segment_ids = ctx->input(1);
    const Tensor& num_segments = ctx->input(2);
    OP_REQUIRES(ctx, num_segments.dims() == 0,
                errors::InvalidArgument(
                    "UnsortedSegmentSum: num_segments should be a scalar, not "
                    "shape ",
                    num_segments.shape().DebugString()));
    const int64_t segments = num_segments.dtype() == DT_INT32
                                 ? num_segments.scalar_value<int32>()
                                 : num_segments.scalar_value<int64_t>();
    OP_REQUIRES(ctx, segments >= 0,
                errors::InvalidArgument("UnsortedSegmentSum: Input "
                                        "num_segments == ",
                                        segments, " must not be negative."));
    OP_REQUIRES(
        ctx, TensorShapeUtils::StartsWith(data.shape(), segment_ids.shape()),
        errors::InvalidArgument(
            "UnsortedSegmentSum: data.shape = ", data.shape().DebugString(),
            " does not start with segment_ids.shape = ",
            segment_ids.shape().DebugString()));
    const std::vector<int64_t> ids = ReadIds(segment_ids);
    for (int64_t id : ids) {
      OP_REQUIRES(
          ctx, id < segments,
          errors::InvalidArgument("UnsortedSegmentSum: segment id ", id,
                                  " is out of range [0, ", segments, ")"));
    }
    TensorShape shape;
    OP_REQUIRES_OK(ctx, shape.AddDimWithStatus(segments));
    int64_t row = 1;
    for (int i = segment_ids.dims(); i < data.dims(); ++i) {
      OP_REQUIRES_OK(ctx, shape.AddDimWithStatus(data.dim_size(i)));
      row *= data.dim_size(i);
    }
    Tensor* sums = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, shape, &sums));
    if (sums->NumElements() == 0) return;
    AddSegments(data.base<T>(), ids, row, segments, sums->base<T>());
  }
};

REGISTER_KERNEL_FOR_TYPES(Name("SegmentSum").Device(DEVICE_CPU), "T",
                          SegmentSumOp, int8, int16, int32, int64_t, uint8,
                          uint16, uint32, uint64, Eigen::half, Eigen::bfloat16,
                          float, double, complex64, complex128);
REGISTER_KERNEL_FOR_TYPES(
    Name("UnsortedSegmentSum").Device(DEVICE_CPU).HostMemory("num_segments"),
    "T", UnsortedSegmentSumOp, int8, int16, int32, int64_t, uint8, uint16,
    uint32, uint64, Eigen::half, Eigen::bfloat16, float, double, complex64,
    complex128);

}  // namespace tensorwright
