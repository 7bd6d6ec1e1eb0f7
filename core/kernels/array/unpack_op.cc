// SPDX-License-Identifier: Apache-2.0
// Unpack: the parts of a tensor along a dimension, without it.

#include <cstdint>

#include "absl/container/inlined_vector.h"
#include "core/framework/op_kernel.h"
#include "core/framework/tensor.h"
#include "core/kernels/array/concat_device.h"
#include "core/kernels/array/concat_lib.h"
#include "core/kernels/lib/gpu/device_registration.h"

namespace tensorwright {
namespace {

class UnpackOp final : public OpKernel {
 public:
  explicit UnpackOp(OpKernelConstruction* ctx) : OpKernel(ctx) {
    OP_REQUIRES_OK(ctx, ctx->GetAttr("axis", &axis_));
  }

  void Compute(OpKernelContext* ctx) override {
    const Tensor& value = ctx->input(0);
    const int rank = value.dims();
    const int axis = axis_ < 0 ? axis_ + rank : axis_;
    OP_REQUIRES(ctx, axis >= 0 && axis < rank,
                errors::InvalidArgument("axis = ", axis_, " not in [", -rank,
                                        ", ", rank, ")"));
    const int num = ctx->num_outputs();
    OP_REQUIRES(
        ctx, value.dim_size(axis) == num,
        errors::InvalidArgument("Input shape axis ", axis, " must equal ", num,
                                ", got shape ", value.shape().DebugString()));
    TensorShape shape = value.shape();
    OP_REQUIRES_OK(ctx, shape.RemoveDimWithStatus(axis));
    if (num == 1) {
      Tensor out(value.dtype());
      OP_REQUIRES(ctx, out.CopyFrom(value, shape),
                  errors::Internal("Unpack: reshape failed"));
      ctx->set_output(0, std::move(out));
      return;
    }
    if (axis == 0 && ShareParts(ctx, value)) return;
    absl::InlinedVector<Tensor*, 8> outs(num);
    for (int i = 0; i < num; ++i) {
      OP_REQUIRES_OK(ctx, ctx->allocate_output(i, shape, &outs[i]));
    }
    if (num == 0 || value.NumElements() == 0) return;
    const int64_t rows = SizeOfDims(shape, 0, axis);
    const int64_t size = SizeOfDims(shape, axis, shape.dims());
    const absl::InlinedVector<int64_t, 8> sizes(num, size);
    if (CutWasOnDevice(ctx, value, rows, sizes, absl::MakeSpan(outs))) return;
    OP_REQUIRES_OK(
        ctx, DispatchElement(value.dtype(), [&]<typename T>(ElementTag<T>) {
          absl::InlinedVector<Part<T>, 8> parts;
          for (Tensor* out : outs) parts.push_back({out->base<T>(), size});
          CutParts<T>(ctx, value.base<T>(), rows, parts);
        }));
  }

 private:
  // Aligned parts of the first dimension share the value's buffer.
  static bool ShareParts(OpKernelContext* ctx, const Tensor& value) {
    absl::InlinedVector<Tensor, 8> parts;
    for (int64_t i = 0; i < value.dim_size(0); ++i) {
      parts.push_back(value.SubSlice(i));
      if (!parts.back().IsAligned()) return false;
    }
    for (size_t i = 0; i < parts.size(); ++i) {
      ctx->set_output(static_cast<int>(i), parts[i]);
    }
    return true;
  }

  int axis_ = 0;
};
REGISTER_KERNEL_BUILDER(Name("Unpack").Device(DEVICE_CPU), UnpackOp);
REGISTER_MOVER_ON_GPU(UnpackOp, "T", Name("Unpack"), "value", "output");

}  // namespace
}  // namespace tensorwright
