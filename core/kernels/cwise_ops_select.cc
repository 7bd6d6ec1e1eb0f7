// SPDX-License-Identifier: Apache-2.0
// The kernel of Select.

#include <algorithm>
#include <functional>

#include "core/framework/numeric_types.h"
#include "core/framework/op_kernel.h"
#include "core/kernels/cwise_ops.h"
#include "core/lib/core/errors.h"
#include "core/util/work_sharder.h"

namespace tensorwright {
namespace {

struct SelectLoop {
  template <typename T>
  TW_WIDE_LOOP static void Run(const bool* choose, const T* yes, const T* no,
                               T* out, int64_t n) {
    TW_VECTORIZE
    for (int64_t i = 0; i < n; ++i) {
      // Both are read, so that there is no branch.
      const T y = yes[i], e = no[i];
      out[i] = choose[i] ? y : e;
    }
  }
};

}  // namespace

// condition, t, e -> t where condition, else e.
template <typename T>
class SelectOp final : public OpKernel {
 public:
  explicit SelectOp(OpKernelConstruction* ctx)
      : OpKernel(ctx, /*is_expensive=*/false) {}

  void Compute(OpKernelContext* ctx) override {
    const Tensor& condition = ctx->input(0);
    const Tensor& t = ctx->input(1);
    const Tensor& e = ctx->input(2);
    OP_REQUIRES(
        ctx, t.shape() == e.shape(),
        errors::InvalidArgument(
            "Select: 't' and 'e' must have the same size, but received: ",
            t.shape().DebugString(), " vs. ", e.shape().DebugString()));
    if (condition.dims() == 0 && t.dims() != 0) {
      ctx->set_output(0, condition.scalar_value<bool>() ? t : e);
      return;
    }
    const bool by_row = condition.shape() != t.shape();
    OP_REQUIRES(ctx,
                !by_row || (condition.dims() == 1 && t.dims() >= 1 &&
                            condition.dim_size(0) == t.dim_size(0)),
                errors::InvalidArgument(
                    "Select: 'condition' must be a scalar, of t's shape, or a "
                    "vector of the size of t's first dimension, got ",
                    condition.shape().DebugString(), " and t ",
                    t.shape().DebugString()));
    Tensor* output = nullptr;
    OP_REQUIRES_OK(ctx, ctx->forward_input_or_allocate_output(
                            {1, 2}, 0, t.shape(), &output));
    const int64_t rows = condition.NumElements();
    if (output->NumElements() == 0) return;
    const int64_t width = t.NumElements() / rows;
    const bool* choose = condition.base<bool>();
    const T* yes = t.base<T>();
    const T* no = e.base<T>();
    T* out = output->base<T>();
    const auto run = [=](int64_t begin, int64_t end) {
      if (width == 1) {
        RunLoop<SelectLoop, T>(choose + begin, yes + begin, no + begin,
                               out + begin, end - begin);
        return;
      }
      for (int64_t i = begin; i < end; ++i) {
        const T* from = (choose[i] ? yes : no) + i * width;
        if (from != out + i * width) std::copy_n(from, width, out + i * width);
      }
    };
    ParallelFor(ctx, rows, width, run);
  }
};

REGISTER_KERNEL_FOR_TYPES(Name("Select").Device(DEVICE_CPU), "T", SelectOp,
                          bool, int8, int16, int32, int64_t, uint8, uint16,
                          uint32, uint64, Eigen::half, Eigen::bfloat16, float,
                          double, complex64, complex128, std::string);

}  // namespace tensorwright
