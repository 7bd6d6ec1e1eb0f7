// SPDX-License-Identifier: Apache-2.0
// Tensors of one value: Const, Fill, ZerosLike, OnesLike; and Placeholder,
// which has none.

#include <algorithm>
#include <cstring>

#include "core/framework/op_kernel.h"
#include "core/framework/tensor.h"
#include "core/framework/tensor.pb.h"
#include "core/framework/variant_op_registry.h"
#include "core/kernels/lib/element_dispatch.h"
#include "core/kernels/lib/gpu/device_moves.h"
#include "core/kernels/lib/gpu/device_registration.h"
#include "core/kernels/lib/gpu_registrations.h"
#include "core/util/work_sharder.h"

namespace tensorwright {
namespace {

// Every element of `out` becomes `value`.
template <typename T>
void FillWith(OpKernelContext* ctx, const T& value, Tensor* out) {
  T* data = out->base<T>();
  if constexpr (std::is_trivially_copyable_v<T>) {
    if (const DeviceMoves* moves = MovesOf(ctx)) {
      ctx->SetStatus(
          moves->Fill(ctx, &value, out->NumElements(), sizeof(T), data));
      return;
    }
  }
  ParallelFor(ctx, out->NumElements(), MoveCost<T>(),
              [&value, data](int64_t begin, int64_t end) {
                FillRun(value, end - begin, data + begin);
              });
}

class ConstantOp final : public OpKernel {
 public:
  explicit ConstantOp(OpKernelConstruction* ctx) : OpKernel(ctx) {
    OP_REQUIRES_OK(ctx, ctx->GetAttr("value", &tensor_));
    OP_REQUIRES(ctx, tensor_.dtype() == ctx->output_type(0),
                errors::InvalidArgument(
                    "Const: value must have the type of attr dtype, ",
                    DataTypeString(ctx->output_type(0)), ", got ",
                    DataTypeString(tensor_.dtype())));
    if (ctx->device_type() == DEVICE_CPU ||
        ctx->output_memory_types()[0] == HOST_MEMORY) {
      return;
    }
    TensorProto proto;
    tensor_.AsProtoTensorContent(&proto);
    OP_REQUIRES_OK(ctx, ctx->device()->MakeTensorFromProto(
                            proto, AllocatorAttributes(), &tensor_));
  }
  void Compute(OpKernelContext* ctx) override { ctx->set_output(0, tensor_); }
  bool IsExpensive() override { return false; }

 private:
  Tensor tensor_;
};
REGISTER_KERNEL_BUILDER(Name("Const").Device(DEVICE_CPU), ConstantOp);
REGISTER_KERNEL_BUILDER(Name("Const")
                            .Device(DEVICE_GPU)
                            .TypeConstraint("dtype", TypesInGpuMemory()),
                        ConstantOp);
REGISTER_HOST_INT32_ON_GPU(Name("Const").HostMemory("output"), "dtype",
                           ConstantOp);

class PlaceholderOp final : public OpKernel {
 public:
  explicit PlaceholderOp(OpKernelConstruction* ctx) : OpKernel(ctx) {
    OP_REQUIRES_OK(ctx, ctx->GetAttr("shape", &expected_));
  }
  void Compute(OpKernelContext* ctx) override {
    const bool any_shape = expected_.unknown_rank() || expected_.dims() == 0;
    ctx->SetStatus(errors::InvalidArgument(
        "You must feed a value for placeholder tensor '", name(),
        "' with dtype ", DataTypeString(output_type(0)),
        any_shape ? "" : " and shape " + expected_.DebugString()));
  }
  bool IsExpensive() override { return false; }

 private:
  PartialTensorShape expected_;
};
REGISTER_CPU_AND_GPU_KERNEL(Name("Placeholder"), PlaceholderOp);
REGISTER_CPU_AND_GPU_KERNEL(Name("PlaceholderV2"), PlaceholderOp);

class FillOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* ctx) override {
    const Tensor& value = ctx->input(1);
    TensorShape shape;
    OP_REQUIRES_OK(ctx, MakeShape(ctx->input(0), &shape));
    Tensor* out = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, shape, &out));
    if (MovesOf(ctx) != nullptr) {
      if (out->NumElements() == 0) return;
      StridedView repeated;  // The value is on the device too.
      repeated.Append(out->NumElements(), 0);
      OP_REQUIRES_OK(ctx, MoveFromView(ctx, value, repeated, out));
      return;
    }
    OP_REQUIRES_OK(
        ctx, DispatchElement(value.dtype(), [&]<typename T>(ElementTag<T>) {
          FillWith<T>(ctx, *value.base<T>(), out);
        }));
  }
};
REGISTER_KERNEL_BUILDER(Name("Fill").Device(DEVICE_CPU).HostMemory("dims"),
                        FillOp);
REGISTER_MOVER_ON_GPU(FillOp, "T", Name("Fill").HostMemory("dims"), "value",
                      "output");

class ZerosLikeOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* ctx) override {
    Tensor* out = nullptr;
    OP_REQUIRES_OK(ctx, ctx->forward_input_or_allocate_output(
                            {0}, 0, ctx->input(0).shape(), &out));
    OP_REQUIRES_OK(
        ctx, DispatchElement(out->dtype(), [&]<typename T>(ElementTag<T>) {
          FillWith<T>(ctx, T(), out);
        }));
  }
};
REGISTER_KERNEL_BUILDER(Name("ZerosLike").Device(DEVICE_CPU), ZerosLikeOp);
REGISTER_MOVER_ON_GPU(ZerosLikeOp, "T", Name("ZerosLike"), "x", "y");

// The author of a variant's type defines its zero.  Empty variants stay empty.
class ZerosLikeVariantsOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* ctx) override {
    const Tensor& x = ctx->input(0);
    Tensor* out = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, x.shape(), &out));
    for (int64_t i = 0; i < x.NumElements(); ++i) {
      const Variant& value = x.base<Variant>()[i];
      if (value.is_empty()) continue;
      OP_REQUIRES_OK(
          ctx, UnaryOpVariant(ctx, ZEROS_LIKE_VARIANT_UNARY_OP, DEVICE_CPU,
                              value, &out->base<Variant>()[i]));
    }
  }
};
REGISTER_KERNEL_BUILDER(Name("ZerosLike")
                            .Device(DEVICE_CPU)
                            .TypeConstraint<Variant>("T")
                            .Priority(1),
                        ZerosLikeVariantsOp);

// Writes the number 1 of a dtype; false if it has none.
bool WriteOne(DataType dtype, void* out) {
  const auto put = [out](auto value) {
    std::memcpy(out, &value, sizeof(value));
    return true;
  };
  switch (dtype) {
    case DT_HALF:
      return put(uint16_t{0x3c00});
    case DT_BFLOAT16:
      return put(uint16_t{0x3f80});
    case DT_FLOAT:
      return put(1.0f);
    case DT_DOUBLE:
      return put(1.0);
    case DT_COMPLEX64:
      return put(complex64(1.0f));
    case DT_COMPLEX128:
      return put(complex128(1.0));
    case DT_BOOL:
    case DT_INT8:
    case DT_UINT8:
      return put(uint8_t{1});
    case DT_INT16:
    case DT_UINT16:
      return put(uint16_t{1});
    case DT_INT32:
    case DT_UINT32:
      return put(uint32_t{1});
    case DT_INT64:
    case DT_UINT64:
      return put(uint64_t{1});
    default:
      return false;
  }
}

class OnesLikeOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* ctx) override {
    Tensor* out = nullptr;
    OP_REQUIRES_OK(ctx, ctx->forward_input_or_allocate_output(
                            {0}, 0, ctx->input(0).shape(), &out));
    alignas(16) char one[16] = {};
    OP_REQUIRES(ctx, WriteOne(out->dtype(), one),
                errors::Unimplemented("OnesLike: there is no 1 of type ",
                                      DataTypeString(out->dtype())));
    OP_REQUIRES_OK(
        ctx, DispatchElement(out->dtype(), [&]<typename T>(ElementTag<T>) {
          if constexpr (std::is_trivially_copyable_v<T>) {
            T value;
            std::memcpy(&value, one, sizeof(T));
            FillWith<T>(ctx, value, out);
          }
        }));
  }
};
REGISTER_KERNEL_BUILDER(Name("OnesLike").Device(DEVICE_CPU), OnesLikeOp);
REGISTER_MOVER_ON_GPU(OnesLikeOp, "T", Name("OnesLike"), "x", "y");

}  // namespace
}  // namespace tensorwright
