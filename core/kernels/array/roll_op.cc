// SPDX-License-Identifier: Apache-2.0
// Roll: shifts a tensor along some dimensions; its end comes in at the start.

#include <cstdint>

#include "absl/container/inlined_vector.h"
#include "core/framework/op_kernel.h"
#include "core/framework/tensor.h"
#include "core/kernels/lib/element_dispatch.h"
#include "core/util/int_elements.h"
#include "core/util/work_sharder.h"

namespace tensorwright {
namespace {

struct RollDim {
  int64_t size;
  int64_t shift;  // In [0, size).
};
using RollDims = absl::InlinedVector<RollDim, 8>;

// Writes rows [begin, end) of the output along its last dimension.
template <typename T>
void RollRows(const T* in, const RollDims& dims, int64_t begin, int64_t end,
              T* out) {
  const RollDim& last = dims.back();
  for (int64_t row = begin; row < end; ++row) {
    int64_t rest = row, from = 0, stride = 1;
    for (int d = static_cast<int>(dims.size()) - 2; d >= 0; --d) {
      const int64_t i = rest % dims[d].size - dims[d].shift;
      rest /= dims[d].size;
      from += (i < 0 ? i + dims[d].size : i) * stride;
      stride *= dims[d].size;
    }
    const T* line = in + from * last.size;
    T* to = out + row * last.size;
    CopyRun(line + last.size - last.shift, last.shift, to);
    CopyRun(line, last.size - last.shift, to + last.shift);
  }
}

class RollOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* ctx) override {
    const Tensor& in = ctx->input(0);
    RollDims dims;
    OP_REQUIRES_OK(ctx,
                   ReadDims(in.shape(), ctx->input(1), ctx->input(2), &dims));
    Tensor* out = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, in.shape(), &out));
    if (out->NumElements() == 0) return;
    // Dimensions that stay join the one before them.
    while (dims.size() > 1 && dims.back().shift == 0) {
      const int64_t size = dims.back().size;
      dims.pop_back();
      dims.back().size *= size;
      dims.back().shift *= size;
    }
    const int64_t row = dims.back().size;
    OP_REQUIRES_OK(
        ctx, DispatchElement(in.dtype(), [&]<typename T>(ElementTag<T>) {
          ParallelFor(ctx, in.NumElements() / row, 15 + row * MoveCost<T>(),
                      [&](int64_t begin, int64_t end) {
                        RollRows(in.base<T>(), dims, begin, end,
                                 out->base<T>());
                      });
        }));
  }

 private:
  static Status ReadDims(const TensorShape& in, const Tensor& shift,
                         const Tensor& axis, RollDims* dims) {
    if (in.dims() < 1) {
      return errors::InvalidArgument("input must be 1-D or higher");
    }
    if (shift.dims() > 1 || shift.shape() != axis.shape()) {
      return errors::InvalidArgument(
          "shift and axis must be scalars, or vectors of one size, got shapes ",
          shift.shape().DebugString(), " and ", axis.shape().DebugString());
    }
    for (int d = 0; d < in.dims(); ++d) dims->push_back({in.dim_size(d), 0});
    for (int64_t i = 0; i < axis.NumElements(); ++i) {
      int64_t d = IntAt(axis, i);
      if (d < -in.dims() || d >= in.dims()) {
        return errors::InvalidArgument("axis ", d, " is out of range [",
                                       -in.dims(), ", ", in.dims(), ")");
      }
      if (d < 0) d += in.dims();
      RollDim& dim = (*dims)[d];
      if (dim.size == 0) continue;
      // Both terms are smaller than the size, so there is no overflow.
      dim.shift = (dim.shift + IntAt(shift, i) % dim.size) % dim.size;
      if (dim.shift < 0) dim.shift += dim.size;
    }
    return OkStatus();
  }
};
REGISTER_KERNEL_BUILDER(
    Name("Roll").Device(DEVICE_CPU).HostMemory("shift").HostMemory("axis"),
    RollOp);

}  // namespace
}  // namespace tensorwright
