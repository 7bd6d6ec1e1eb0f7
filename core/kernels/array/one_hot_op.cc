// SPDX-License-Identifier: Apache-2.0
// OneHot: on_value at each index along a new dimension, off_value elsewhere.

#include <algorithm>
#include <cstdint>

#include "core/framework/bounds_check.h"
#include "core/framework/op_kernel.h"
#include "core/framework/tensor.h"
#include "core/kernels/array/concat_lib.h"
#include "core/kernels/lib/element_dispatch.h"
#include "core/kernels/lib/gpu/device_moves.h"
#include "core/kernels/lib/gpu/device_registration.h"
#include "core/util/overflow.h"
#include "core/util/work_sharder.h"

namespace tensorwright {
namespace {

// indices: [prefix, suffix], out: [prefix, depth, suffix]; writes prefixes
// [begin, end).  An index outside [0, depth) sets nothing.
template <typename T, typename Index>
void OneHotRows(const Index* indices, int64_t depth, int64_t suffix,
                const T& on, const T& off, int64_t begin, int64_t end, T* out) {
  FillRun(off, (end - begin) * depth * suffix, out + begin * depth * suffix);
  for (int64_t p = begin; p < end; ++p) {
    for (int64_t s = 0; s < suffix; ++s) {
      const Index index = indices[p * suffix + s];
      if (FastBoundsCheck(index, depth)) {
        out[(p * depth + index) * suffix + s] = on;
      }
    }
  }
}

template <typename Index>
class OneHotOp final : public OpKernel {
 public:
  explicit OneHotOp(OpKernelConstruction* ctx) : OpKernel(ctx) {
    OP_REQUIRES_OK(ctx, ctx->GetAttr("axis", &axis_));
  }

  void Compute(OpKernelContext* ctx) override {
    const Tensor& indices = ctx->input(0);
    const Tensor& depth_tensor = ctx->input(1);
    const Tensor& on = ctx->input(2);
    const Tensor& off = ctx->input(3);
    const int rank = indices.dims();
    OP_REQUIRES(
        ctx, axis_ == -1 || (axis_ >= 0 && axis_ <= rank),
        errors::InvalidArgument("Expected axis to be -1 or between [0, ",
                                rank + 1, ").  But received: ", axis_));
    for (int i = 1; i < 4; ++i) {
      static constexpr const char* kNames[] = {"", "depth", "on_value",
                                               "off_value"};
      OP_REQUIRES(
          ctx, ctx->input(i).dims() == 0,
          errors::InvalidArgument(kNames[i], " must be a scalar, but got: ",
                                  ctx->input(i).shape().DebugString()));
    }
    const int64_t depth = *depth_tensor.base<int32_t>();
    OP_REQUIRES(
        ctx, depth >= 0,
        errors::InvalidArgument("depth must be non-negative, got: ", depth));
    OP_REQUIRES(
        ctx, MultiplyWithoutOverflow(indices.NumElements(), depth) >= 0,
        errors::InvalidArgument("OneHot result would have shape ",
                                indices.shape().DebugString(), " + [", depth,
                                "], which exceeds 2**63 - 1 elements"));
    const int axis = axis_ == -1 ? rank : axis_;
    TensorShape shape = indices.shape();
    OP_REQUIRES_OK(ctx, shape.InsertDimWithStatus(axis, depth));
    Tensor* out = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, shape, &out));
    if (out->NumElements() == 0) return;
    const int64_t prefix = SizeOfDims(indices.shape(), 0, axis);
    const int64_t suffix = SizeOfDims(indices.shape(), axis, rank);
    if (const DeviceMoves* moves = MovesOf(ctx)) {
      OP_REQUIRES_OK(
          ctx, moves->OneHot(
                   ctx, {.indices = indices.data(),
                         .index_bytes = static_cast<int64_t>(sizeof(Index)),
                         .prefix = prefix,
                         .depth = depth,
                         .suffix = suffix,
                         .on = on.data(),
                         .off = off.data(),
                         .size = DataTypeSize(out->dtype()),
                         .out = out->data()}));
      return;
    }
    OP_REQUIRES_OK(
        ctx, DispatchElement(out->dtype(), [&]<typename T>(ElementTag<T>) {
          ParallelFor(ctx, prefix, (depth * MoveCost<T>() + 3) * suffix,
                      [&](int64_t begin, int64_t end) {
                        OneHotRows(indices.base<Index>(), depth, suffix,
                                   *on.base<T>(), *off.base<T>(), begin, end,
                                   out->base<T>());
                      });
        }));
  }

 private:
  int axis_ = -1;
};
REGISTER_KERNEL_FOR_TYPES(Name("OneHot").Device(DEVICE_CPU).HostMemory("depth"),
                          "TI", OneHotOp, uint8_t, int8_t, int32_t, int64_t);
REGISTER_CHOOSER_ON_GPU(
    OneHotOp<uint8_t>, "T",
    Name("OneHot").HostMemory("depth").TypeConstraint<uint8_t>("TI"));
REGISTER_CHOOSER_ON_GPU(
    OneHotOp<int32_t>, "T",
    Name("OneHot").HostMemory("depth").TypeConstraint<int32_t>("TI"));
REGISTER_CHOOSER_ON_GPU(
    OneHotOp<int64_t>, "T",
    Name("OneHot").HostMemory("depth").TypeConstraint<int64_t>("TI"));

}  // namespace
}  // namespace tensorwright
