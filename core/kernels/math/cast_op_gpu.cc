// SPDX-License-Identifier: Apache-2.0
// Cast on a GPU: the host's side.

#include "core/kernels/math/cast_op_gpu.h"

#include <optional>

#include "core/framework/gpu_device_context.h"
#include "core/framework/op_kernel.h"
#include "core/kernels/math/cast_op_bits.h"
#include "core/lib/core/errors.h"

namespace tensorwright {
namespace {

std::optional<GpuCastType> CastTypeOf(DataType dtype) {
  switch (dtype) {
    case DT_BOOL:
      return GpuCastType::kBool;
    case DT_INT8:
      return GpuCastType::kInt8;
    case DT_INT16:
      return GpuCastType::kInt16;
    case DT_INT32:
      return GpuCastType::kInt32;
    case DT_INT64:
      return GpuCastType::kInt64;
    case DT_UINT8:
      return GpuCastType::kUint8;
    case DT_UINT16:
      return GpuCastType::kUint16;
    case DT_UINT32:
      return GpuCastType::kUint32;
    case DT_UINT64:
      return GpuCastType::kUint64;
    case DT_HALF:
      return GpuCastType::kHalf;
    case DT_BFLOAT16:
      return GpuCastType::kBfloat16;
    case DT_FLOAT:
      return GpuCastType::kFloat;
    case DT_DOUBLE:
      return GpuCastType::kDouble;
    default:
      return std::nullopt;
  }
}

class CastOnGpu final : public OpKernel {
 public:
  explicit CastOnGpu(OpKernelConstruction* ctx)
      : OpKernel(ctx, /*is_expensive=*/false) {
    DataType from, to;
    bool truncate = false;
    OP_REQUIRES_OK(ctx, ctx->GetAttr("SrcT", &from));
    OP_REQUIRES_OK(ctx, ctx->GetAttr("DstT", &to));
    OP_REQUIRES_OK(ctx, ctx->GetAttr("Truncate", &truncate));
    same_ = from == to;
    const auto from_type = CastTypeOf(from), to_type = CastTypeOf(to);
    OP_REQUIRES(
        ctx, from_type.has_value() && to_type.has_value(),
        errors::Unimplemented("Cast ", DataTypeString(from), " to ",
                              DataTypeString(to), " is not supported on GPUs"));
    from_ = *from_type;
    to_ = *to_type;
    if (truncate) cleared_bits_ = ClearedBits(from, to);
  }

  void Compute(OpKernelContext* ctx) override {
    const Tensor& x = ctx->input(0);
    if (same_) {
      ctx->set_output(0, x);
      return;
    }
    Tensor* y = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, x.shape(), &y));
    if (y->NumElements() == 0) return;
    OP_REQUIRES_OK(ctx, GpuCast(GpuStream(ctx), from_, to_, x.data(),
                                cleared_bits_, x.NumElements(), y->data()));
  }

 private:
  bool same_ = false;
  GpuCastType from_ = GpuCastType::kFloat, to_ = GpuCastType::kFloat;
  int cleared_bits_ = 0;
};

constexpr DataType kCasts[] = {
    DT_BOOL,   DT_INT8,   DT_INT16, DT_INT32,    DT_INT64, DT_UINT8, DT_UINT16,
    DT_UINT32, DT_UINT64, DT_HALF,  DT_BFLOAT16, DT_FLOAT, DT_DOUBLE};
REGISTER_KERNEL_BUILDER(Name("Cast")
                            .Device(DEVICE_GPU)
                            .TypeConstraint("SrcT", kCasts)
                            .TypeConstraint("DstT", kCasts),
                        CastOnGpu);

}  // namespace
}  // namespace tensorwright
