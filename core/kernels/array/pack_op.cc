// SPDX-License-Identifier: Apache-2.0
// Pack: tensors of one shape along a new dimension.

#include <cstdint>

#include "absl/container/inlined_vector.h"
#include "core/framework/op_kernel.h"
#include "core/framework/tensor.h"
#include "core/kernels/array/concat_device.h"
#include "core/kernels/array/concat_lib.h"
#include "core/kernels/lib/gpu/device_registration.h"

namespace tensorwright {
namespace {

class PackOp final : public OpKernel {
 public:
  explicit PackOp(OpKernelConstruction* ctx) : OpKernel(ctx) {
    OP_REQUIRES_OK(ctx, ctx->GetAttr("axis", &axis_));
  }

  void Compute(OpKernelContext* ctx) override {
    const int n = ctx->num_inputs();
    const TensorShape& element = ctx->input(0).shape();
    const int rank = element.dims() + 1;
    const int axis = axis_ < 0 ? axis_ + rank : axis_;
    OP_REQUIRES(ctx, axis >= 0 && axis < rank,
                errors::InvalidArgument("axis = ", axis_, " not in [", -rank,
                                        ", ", rank, ")"));
    for (int i = 1; i < n; ++i) {
      OP_REQUIRES(ctx, ctx->input(i).shape().IsSameSize(element),
                  errors::InvalidArgument(
                      "Shapes of all inputs must match: values[0].shape = ",
                      element.DebugString(), " != values[", i,
                      "].shape = ", ctx->input(i).shape().DebugString()));
    }
    TensorShape shape = element;
    OP_REQUIRES_OK(ctx, shape.InsertDimWithStatus(axis, n));
    if (n == 1) {  // Only the shape changes.
      Tensor out(ctx->input(0).dtype());
      OP_REQUIRES(ctx, out.CopyFrom(ctx->input(0), shape),
                  errors::Internal("Pack: reshape failed"));
      ctx->set_output(0, std::move(out));
      return;
    }
    Tensor* out = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, shape, &out));
    if (out->NumElements() == 0) return;
    const int64_t rows = SizeOfDims(element, 0, axis);
    const int64_t size = SizeOfDims(element, axis, element.dims());
    absl::InlinedVector<const Tensor*, 8> tensors;
    for (int i = 0; i < n; ++i) tensors.push_back(&ctx->input(i));
    const absl::InlinedVector<int64_t, 8> sizes(n, size);
    if (JoinedOnDevice(ctx, tensors, sizes, rows, out)) return;
    OP_REQUIRES_OK(
        ctx, DispatchElement(out->dtype(), [&]<typename T>(ElementTag<T>) {
          absl::InlinedVector<Part<const T>, 8> parts;
          for (int i = 0; i < n; ++i) {
            parts.push_back({tensors[i]->base<T>(), size});
          }
          JoinParts<T>(ctx, parts, rows, out->base<T>());
        }));
  }

 private:
  int axis_ = 0;
};
REGISTER_KERNEL_BUILDER(Name("Pack").Device(DEVICE_CPU), PackOp);
REGISTER_MOVER_ON_GPU(PackOp, "T", Name("Pack"), "values", "output");

}  // namespace
}  // namespace tensorwright
