// SPDX-License-Identifier: Apache-2.0
// MatrixBandPart: matrices with zeros far from the main diagonal.

#include <algorithm>
#include <cstdint>

#include "core/framework/op_kernel.h"
#include "core/framework/tensor.h"
#include "core/kernels/array/concat_lib.h"
#include "core/kernels/lib/element_dispatch.h"
#include "core/util/work_sharder.h"

namespace tensorwright {
namespace {

// Writes rows [begin, end) of matrices with that many rows and columns; in may
// be out.
template <typename T>
void KeepBand(const T* in, int64_t rows, int64_t cols, int64_t lower,
              int64_t upper, int64_t begin, int64_t end, T* out) {
  for (int64_t row = begin; row < end; ++row) {
    const int64_t r = row % rows;
    const int64_t first = std::min(cols, std::max<int64_t>(0, r - lower));
    const int64_t last = std::max(first, std::min(cols, r + upper + 1));
    T* to = out + row * cols;
    std::fill(to, to + first, T());
    if (in != out) CopyRun(in + row * cols + first, last - first, to + first);
    std::fill(to + last, to + cols, T());
  }
}

class MatrixBandPartOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* ctx) override {
    const Tensor& in = ctx->input(0);
    const int rank = in.dims();
    OP_REQUIRES(ctx, rank >= 2,
                errors::InvalidArgument(
                    "input must be at least 2-dim, received shape: ",
                    in.shape().DebugString()));
    const int64_t rows = in.dim_size(rank - 2), cols = in.dim_size(rank - 1);
    int64_t lower = 0, upper = 0;
    OP_REQUIRES_OK(ctx, ReadBound(ctx->input(1), "num_lower", rows, &lower));
    OP_REQUIRES_OK(ctx, ReadBound(ctx->input(2), "num_upper", cols, &upper));
    if (in.NumElements() == 0 || (lower >= rows && upper >= cols)) {
      ctx->set_output(0, in);
      return;
    }
    Tensor* out = nullptr;
    OP_REQUIRES_OK(
        ctx, ctx->forward_input_or_allocate_output({0}, 0, in.shape(), &out));
    OP_REQUIRES_OK(
        ctx, DispatchElement(in.dtype(), [&]<typename T>(ElementTag<T>) {
          ParallelFor(ctx, in.NumElements() / cols, 10 + cols * MoveCost<T>(),
                      [&](int64_t begin, int64_t end) {
                        KeepBand(in.base<T>(), rows, cols, lower, upper, begin,
                                 end, out->base<T>());
                      });
        }));
  }

 private:
  // The number of diagonals that stay; `size`, all of them, if the number is
  // negative.
  static Status ReadBound(const Tensor& t, const char* name, int64_t size,
                          int64_t* bound) {
    if (t.dims() != 0) {
      return errors::InvalidArgument(name, " must be a scalar, got shape ",
                                     t.shape().DebugString());
    }
    *bound = ScalarIndex(t);
    if (*bound > size) {
      return errors::InvalidArgument(name,
                                     " must be negative or less or equal "
                                     "to the number of ",
                                     name[4] == 'l' ? "rows (" : "columns (",
                                     size, "), got: ", *bound);
    }
    if (*bound < 0) *bound = size;
    return OkStatus();
  }
};
REGISTER_KERNEL_BUILDER(Name("MatrixBandPart")
                            .Device(DEVICE_CPU)
                            .HostMemory("num_lower")
                            .HostMemory("num_upper"),
                        MatrixBandPartOp);
REGISTER_KERNEL_BUILDER(Name("BatchMatrixBandPart")
                            .Device(DEVICE_CPU)
                            .HostMemory("num_lower")
                            .HostMemory("num_upper"),
                        MatrixBandPartOp);

}  // namespace
}  // namespace tensorwright
