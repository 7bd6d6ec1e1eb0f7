// SPDX-License-Identifier: Apache-2.0
// Bitcast: the same bytes as another type.

#include <cstdint>
#include <utility>

#include "core/framework/op_kernel.h"
#include "core/framework/tensor.h"
#include "core/kernels/lib/gpu_registrations.h"

namespace tensorwright {
namespace {

// Shares the input's buffer.
class BitcastOp final : public OpKernel {
 public:
  explicit BitcastOp(OpKernelConstruction* ctx) : OpKernel(ctx) {
    OP_REQUIRES_OK(ctx, ctx->GetAttr("T", &from_));
    OP_REQUIRES_OK(ctx, ctx->GetAttr("type", &to_));
    from_size_ = DataTypeSize(from_);
    to_size_ = DataTypeSize(to_);
    OP_REQUIRES(
        ctx,
        from_size_ > 0 && to_size_ > 0 && DataTypeCanUseMemcpy(from_) &&
            DataTypeCanUseMemcpy(to_),
        errors::InvalidArgument("Cannot bitcast type ", DataTypeString(from_),
                                " to ", DataTypeString(to_)));
  }

  void Compute(OpKernelContext* ctx) override {
    const Tensor& in = ctx->input(0);
    TensorShape shape = in.shape();
    if (from_size_ > to_size_) {
      OP_REQUIRES_OK(ctx, shape.AddDimWithStatus(from_size_ / to_size_));
    } else if (from_size_ < to_size_) {
      const int last = shape.dims() - 1;
      OP_REQUIRES(
          ctx, last >= 0 && shape.dim_size(last) == to_size_ / from_size_,
          errors::InvalidArgument("Cannot bitcast from ", DataTypeString(from_),
                                  " to ", DataTypeString(to_), ": shape ",
                                  shape.DebugString()));
      shape.RemoveLastDims(1);
    }
    Tensor out(to_);
    OP_REQUIRES_OK(ctx, out.BitcastFrom(in, to_, shape));
    ctx->set_output(0, std::move(out));
  }
  bool IsExpensive() override { return false; }

 private:
  DataType from_ = DT_INVALID, to_ = DT_INVALID;
  int from_size_ = 0, to_size_ = 0;
};
REGISTER_CPU_AND_GPU_KERNEL(Name("Bitcast"), BitcastOp);

}  // namespace
}  // namespace tensorwright
