// SPDX-License-Identifier: Apache-2.0
// Split and SplitV: a tensor cut along a dimension.

#include <cstdint>

#include "absl/container/inlined_vector.h"
#include "core/framework/op_kernel.h"
#include "core/framework/tensor.h"
#include "core/kernels/array/concat_device.h"
#include "core/kernels/array/concat_lib.h"
#include "core/kernels/lib/gpu/device_registration.h"

namespace tensorwright {
namespace {

// The dimension in the scalar input, counted from the front.
Status SplitDim(const Tensor& split_dim, const Tensor& value, int* dim) {
  if (split_dim.dims() != 0) {
    return errors::InvalidArgument("split_dim must be a scalar but has shape ",
                                   split_dim.shape().DebugString());
  }
  const int given = *split_dim.base<int32_t>();
  const int rank = value.dims();
  *dim = given < 0 ? given + rank : given;
  if (*dim < 0 || *dim >= rank) {
    return errors::InvalidArgument("-input rank(-", rank,
                                   ") <= split_dim < input rank (", rank,
                                   "), but got ", given);
  }
  return OkStatus();
}

// Aligned parts of the first dimension share the value's buffer.
bool ShareParts(OpKernelContext* ctx, const Tensor& value, int dim,
                absl::Span<const int64_t> sizes) {
  if (dim != 0) return false;
  absl::InlinedVector<Tensor, 8> parts;
  int64_t at = 0;
  for (int64_t size : sizes) {
    parts.push_back(value.Slice(at, at + size));
    if (!parts.back().IsAligned()) return false;
    at += size;
  }
  for (size_t i = 0; i < parts.size(); ++i) {
    ctx->set_output(static_cast<int>(i), parts[i]);
  }
  return true;
}

// Output i is the next sizes[i] of dimension `dim` of `value`.
Status Cut(OpKernelContext* ctx, const Tensor& value, int dim,
           absl::Span<const int64_t> sizes) {
  if (sizes.size() == 1) {
    ctx->set_output(0, value);
    return OkStatus();
  }
  if (ShareParts(ctx, value, dim, sizes)) return OkStatus();
  const int64_t rows = SizeOfDims(value.shape(), 0, dim);
  const int64_t inner = SizeOfDims(value.shape(), dim + 1, value.dims());
  absl::InlinedVector<Tensor*, 8> outs(sizes.size());
  for (size_t i = 0; i < sizes.size(); ++i) {
    TensorShape shape = value.shape();
    TF_RETURN_IF_ERROR(shape.SetDimWithStatus(dim, sizes[i]));
    TF_RETURN_IF_ERROR(
        ctx->allocate_output(static_cast<int>(i), shape, &outs[i]));
  }
  absl::InlinedVector<int64_t, 8> row_sizes;
  for (const int64_t size : sizes) row_sizes.push_back(size * inner);
  if (CutWasOnDevice(ctx, value, rows, row_sizes, absl::MakeSpan(outs))) {
    return ctx->status();
  }
  return DispatchElement(value.dtype(), [&]<typename T>(ElementTag<T>) {
    absl::InlinedVector<Part<T>, 8> parts;
    for (size_t i = 0; i < sizes.size(); ++i) {
      parts.push_back({outs[i]->base<T>(), row_sizes[i]});
    }
    CutParts<T>(ctx, value.base<T>(), rows, parts);
  });
}

class SplitOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* ctx) override {
    const Tensor& value = ctx->input(1);
    int dim = 0;
    OP_REQUIRES_OK(ctx, SplitDim(ctx->input(0), value, &dim));
    const int num_split = ctx->num_outputs();
    const int64_t size = value.dim_size(dim);
    OP_REQUIRES(ctx, size % num_split == 0,
                errors::InvalidArgument(
                    "Number of ways to split should evenly divide the split "
                    "dimension, but got split_dim ",
                    dim, " (size = ", size, ") and num_split ", num_split));
    const absl::InlinedVector<int64_t, 8> sizes(num_split, size / num_split);
    OP_REQUIRES_OK(ctx, Cut(ctx, value, dim, sizes));
  }
};
REGISTER_KERNEL_BUILDER(
    Name("Split").Device(DEVICE_CPU).HostMemory("split_dim"), SplitOp);
REGISTER_MOVER_ON_GPU(SplitOp, "T", Name("Split").HostMemory("split_dim"),
                      "value", "output");

template <typename Tlen>
class SplitVOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* ctx) override {
    const Tensor& value = ctx->input(0);
    int dim = 0;
    OP_REQUIRES_OK(ctx, SplitDim(ctx->input(2), value, &dim));
    absl::InlinedVector<int64_t, 8> sizes;
    OP_REQUIRES_OK(ctx, ResolveSizes(ctx->input(1), ctx->num_outputs(),
                                     value.dim_size(dim), &sizes));
    OP_REQUIRES_OK(ctx, Cut(ctx, value, dim, sizes));
  }

 private:
  // One size may be -1: it gets the rest.
  static Status ResolveSizes(const Tensor& size_splits, int num_split,
                             int64_t total,
                             absl::InlinedVector<int64_t, 8>* sizes) {
    if (size_splits.dims() != 1 || size_splits.NumElements() != num_split) {
      return errors::InvalidArgument("shape of size_splits must be [",
                                     num_split, "], got ",
                                     size_splits.shape().DebugString());
    }
    int rest = -1;
    int64_t left = total;
    for (Tlen size : Flat<Tlen>(size_splits)) {
      if (size == -1 && rest < 0) {
        rest = static_cast<int>(sizes->size());
      } else if (size < 0 || size > left) {
        return errors::InvalidArgument(
            "Split size at index ", sizes->size(), " must be >= 0, and all ",
            "must fit the dimension of size ", total, ". Got: [",
            size_splits.SummarizeValue(16), "]");
      } else {
        left -= size;
      }
      sizes->push_back(size);
    }
    if (rest >= 0) {
      (*sizes)[rest] = left;
    } else if (left != 0) {
      return errors::InvalidArgument(
          "Determined shape must either match input shape along split_dim "
          "exactly if fully specified, or be less than the size of the input "
          "along split_dim if not fully specified.  Got: ",
          total - left, ", expected ", total);
    }
    return OkStatus();
  }
};
REGISTER_KERNEL_FOR_TYPES(Name("SplitV")
                              .Device(DEVICE_CPU)
                              .HostMemory("size_splits")
                              .HostMemory("split_dim"),
                          "Tlen", SplitVOp, int8_t, int32_t, int64_t);
REGISTER_MOVER_ON_GPU(SplitVOp<int32_t>, "T",
                      Name("SplitV")
                          .HostMemory("size_splits")
                          .HostMemory("split_dim")
                          .TypeConstraint<int32_t>("Tlen"),
                      "value", "output");
REGISTER_MOVER_ON_GPU(SplitVOp<int64_t>, "T",
                      Name("SplitV")
                          .HostMemory("size_splits")
                          .HostMemory("split_dim")
                          .TypeConstraint<int64_t>("Tlen"),
                      "value", "output");

}  // namespace
}  // namespace tensorwright
