// SPDX-License-Identifier: Apache-2.0
// StridedSlice, StridedSliceGrad that puts a slice's gradient back, and
// assignment to a slice of a variable.

#include "core/util/strided_slice_op.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "core/framework/op_kernel.h"
#include "core/framework/tensor.h"
#include "core/kernels/lib/element_dispatch.h"
#include "core/kernels/lib/gpu/device_moves.h"
#include "core/kernels/lib/gpu/device_registration.h"
#include "core/kernels/lib/strided_copy.h"
#include "core/kernels/lib/variables.h"
#include "core/util/work_sharder.h"

namespace tensorwright {
namespace {

StridedSliceMasks ReadMasks(OpKernelConstruction* ctx) {
  StridedSliceMasks masks;
  const auto read = [ctx](const char* name, int32_t* mask) {
    OP_REQUIRES_OK(ctx, ctx->GetAttr(name, mask));
  };
  read("begin_mask", &masks.begin);
  read("end_mask", &masks.end);
  read("ellipsis_mask", &masks.ellipsis);
  read("new_axis_mask", &masks.new_axis);
  read("shrink_axis_mask", &masks.shrink_axis);
  return masks;
}

// The slice as a view of the whole tensor, of shape `whole`.
StridedView ViewOf(const TensorShape& whole, const StridedSliceSpec& spec) {
  StridedView view;
  const int rank = whole.dims();
  view.sizes.resize(rank);
  view.strides.resize(rank);
  int64_t stride = 1;
  for (int d = rank - 1; d >= 0; --d) {
    view.sizes[d] = spec.processing_shape.dim_size(d);
    // The step of a single index may be any number, and does not matter.
    view.strides[d] = view.sizes[d] > 1 ? spec.strides[d] * stride : stride;
    view.offset += spec.begin[d] * stride;
    stride *= whole.dim_size(d);
  }
  view.Simplify();
  return view;
}

class StridedSliceOp final : public OpKernel {
 public:
  explicit StridedSliceOp(OpKernelConstruction* ctx)
      : OpKernel(ctx), masks_(ReadMasks(ctx)) {}

  void Compute(OpKernelContext* ctx) override {
    const Tensor& input = ctx->input(0);
    StridedSliceSpec spec;
    OP_REQUIRES_OK(ctx, ValidateStridedSliceOp(
                            &ctx->input(1), &ctx->input(2), ctx->input(3),
                            PartialTensorShape(input.shape()), masks_, &spec));
    TensorShape shape;
    OP_REQUIRES(ctx, spec.final_shape.AsTensorShape(&shape),
                errors::Internal("StridedSlice: shape is not known"));
    if (spec.is_identity) {
      Tensor out(input.dtype());
      OP_REQUIRES(ctx, out.CopyFrom(input, shape),
                  errors::Internal("StridedSlice: reshape failed"));
      ctx->set_output(0, std::move(out));
      return;
    }
    if (spec.slice_dim0 && ShareRows(ctx, input, spec, shape)) return;
    Tensor* out = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, shape, &out));
    if (out->NumElements() == 0) return;
    const StridedView view = ViewOf(input.shape(), spec);
    OP_REQUIRES_OK(ctx, MoveFromView(ctx, input, view, out));
  }

 private:
  // A slice of whole, aligned rows shares the input's buffer.
  static bool ShareRows(OpKernelContext* ctx, const Tensor& input,
                        const StridedSliceSpec& spec,
                        const TensorShape& shape) {
    const int64_t first = spec.begin[0];
    const Tensor rows =
        input.Slice(first, first + spec.processing_shape.dim_size(0));
    Tensor out(input.dtype());
    if (!rows.IsAligned() || !out.CopyFrom(rows, shape)) return false;
    ctx->set_output(0, std::move(out));
    return true;
  }

  const StridedSliceMasks masks_;
};
REGISTER_KERNEL_BUILDER(Name("StridedSlice")
                            .Device(DEVICE_CPU)
                            .HostMemory("begin")
                            .HostMemory("end")
                            .HostMemory("strides"),
                        StridedSliceOp);
REGISTER_MOVER_ON_GPU(StridedSliceOp, "T",
                      Name("StridedSlice")
                          .HostMemory("begin")
                          .HostMemory("end")
                          .HostMemory("strides"),
                      "input", "output");

class StridedSliceGradOp final : public OpKernel {
 public:
  explicit StridedSliceGradOp(OpKernelConstruction* ctx)
      : OpKernel(ctx), masks_(ReadMasks(ctx)) {}

  void Compute(OpKernelContext* ctx) override {
    const Tensor& dy = ctx->input(4);
    TensorShape whole;
    OP_REQUIRES_OK(ctx, MakeShape(ctx->input(0), &whole));
    StridedSliceSpec spec;
    OP_REQUIRES_OK(ctx, ValidateStridedSliceOp(
                            &ctx->input(1), &ctx->input(2), ctx->input(3),
                            PartialTensorShape(whole), masks_, &spec));
    OP_REQUIRES(ctx, spec.final_shape.IsCompatibleWith(dy.shape()),
                errors::InvalidArgument(
                    "shape of dy was ", dy.shape().DebugString(),
                    " instead of ", spec.final_shape.DebugString()));
    if (spec.is_identity) {
      Tensor out(dy.dtype());
      OP_REQUIRES(ctx, out.CopyFrom(dy, whole),
                  errors::Internal("StridedSliceGrad: reshape failed"));
      ctx->set_output(0, std::move(out));
      return;
    }
    Tensor* out = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, whole, &out));
    const StridedView view = ViewOf(whole, spec);
    if (const DeviceMoves* moves = MovesOf(ctx)) {
      OP_REQUIRES_OK(ctx, FillZeros(ctx, *moves, out));
      OP_REQUIRES_OK(ctx, MoveToView(ctx, dy, view, out));
      return;
    }
    OP_REQUIRES_OK(ctx,
                   DispatchElement(dy.dtype(), [&]<typename T>(ElementTag<T>) {
                     T* base = out->base<T>();
                     ParallelFor(ctx, out->NumElements(), MoveCost<T>(),
                                 [base](int64_t begin, int64_t end) {
                                   std::fill(base + begin, base + end, T());
                                 });
                   }));
    if (dy.NumElements() == 0) return;
    OP_REQUIRES_OK(ctx, MoveToView(ctx, dy, view, out));
  }

 private:
  const StridedSliceMasks masks_;
};
REGISTER_KERNEL_BUILDER(Name("StridedSliceGrad")
                            .Device(DEVICE_CPU)
                            .HostMemory("shape")
                            .HostMemory("begin")
                            .HostMemory("end")
                            .HostMemory("strides"),
                        StridedSliceGradOp);
REGISTER_MOVER_ON_GPU(StridedSliceGradOp, "T",
                      Name("StridedSliceGrad")
                          .HostMemory("shape")
                          .HostMemory("begin")
                          .HostMemory("end")
                          .HostMemory("strides"),
                      "dy", "output");

// whole[begin:end:strides] = input 4; whole is written in place.
Status AssignSlice(OpKernelContext* ctx, const StridedSliceMasks& masks,
                   Tensor* whole) {
  const Tensor& value = ctx->input(4);
  StridedSliceSpec spec;
  TF_RETURN_IF_ERROR(
      ValidateStridedSliceOp(&ctx->input(1), &ctx->input(2), ctx->input(3),
                             PartialTensorShape(whole->shape()), masks, &spec));
  if (value.dtype() != whole->dtype()) {
    return errors::InvalidArgument(
        "StridedSliceAssign: value must have the variable's dtype ",
        DataTypeString(whole->dtype()), ", got ",
        DataTypeString(value.dtype()));
  }
  TensorShape processing;
  if (!spec.processing_shape.AsTensorShape(&processing)) {
    return errors::Internal("StridedSliceAssign: shape is not known");
  }
  if (processing.num_elements() == 0) return OkStatus();
  if (!spec.final_shape.IsCompatibleWith(value.shape())) {
    return errors::Unimplemented(
        "StridedSliceAssign: value must have the slice's shape ",
        spec.final_shape.DebugString(), ", got ", value.shape().DebugString(),
        "; it is not broadcast");
  }
  const StridedView view = ViewOf(whole->shape(), spec);
  return DispatchElement(value.dtype(), [&]<typename T>(ElementTag<T>) {
    ParallelFor(ctx, value.NumElements(), MoveCost<T>(),
                [&](int64_t begin, int64_t end) {
                  CopyToView(value.base<T>(), view, begin, end,
                             whole->base<T>());
                });
  });
}

class StridedSliceAssignOp final : public OpKernel {
 public:
  explicit StridedSliceAssignOp(OpKernelConstruction* ctx)
      : OpKernel(ctx), masks_(ReadMasks(ctx)) {}

  void Compute(OpKernelContext* ctx) override {
    mutex_lock l(*ctx->input_ref_mutex(0));
    Tensor whole = ctx->mutable_input(0, /*lock_held=*/true);
    OP_REQUIRES(
        ctx, whole.IsInitialized(),
        errors::FailedPrecondition("Attempting to use uninitialized variable: ",
                                   requested_input(0)));
    OP_REQUIRES_OK(ctx, AssignSlice(ctx, masks_, &whole));
    ctx->forward_ref_input_to_ref_output(0, 0);
  }

 private:
  const StridedSliceMasks masks_;
};
REGISTER_KERNEL_BUILDER(Name("StridedSliceAssign")
                            .Device(DEVICE_CPU)
                            .HostMemory("begin")
                            .HostMemory("end")
                            .HostMemory("strides"),
                        StridedSliceAssignOp);

class ResourceStridedSliceAssignOp final : public OpKernel {
 public:
  explicit ResourceStridedSliceAssignOp(OpKernelConstruction* ctx)
      : OpKernel(ctx), masks_(ReadMasks(ctx)) {}

  void Compute(OpKernelContext* ctx) override {
    WritableVariables variables;
    OP_REQUIRES_OK(ctx, variables.Open(ctx, {0}, ctx->input(4).dtype(),
                                       /*lock_references=*/true));
    OP_REQUIRES_OK(ctx, AssignSlice(ctx, masks_, &variables[0]));
  }

 private:
  const StridedSliceMasks masks_;
};
REGISTER_KERNEL_BUILDER(Name("ResourceStridedSliceAssign")
                            .Device(DEVICE_CPU)
                            .HostMemory("ref")
                            .HostMemory("begin")
                            .HostMemory("end")
                            .HostMemory("strides"),
                        ResourceStridedSliceAssignOp);

}  // namespace
}  // namespace tensorwright
