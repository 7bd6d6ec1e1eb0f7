// SPDX-License-Identifier: Apache-2.0
// SparseSliceGrad: puts the gradients of the slice's values at their places in
// the whole.

#include <algorithm>
#include <cstdint>

#include "core/framework/numeric_types.h"
#include "core/framework/op_kernel.h"
#include "core/kernels/sparse/sparse_util.h"

namespace tensorwright {

// grad [m], input_indices [n, rank], start [rank], output_indices [m, rank] ->
// [n].  Both lists of rows are in the same order.
template <typename T>
class SparseSliceGradOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* ctx) override {
    const Tensor& grad = ctx->input(0);
    const Tensor& in = ctx->input(1);
    const Tensor& start = ctx->input(2);
    const Tensor& out = ctx->input(3);
    OP_REQUIRES(
        ctx, in.dims() == 2 && out.dims() == 2,
        errors::InvalidArgument(
            "Input and output indices should be matrices but received "
            "shapes ",
            in.shape().DebugString(), " and ", out.shape().DebugString()));
    OP_REQUIRES(
        ctx, grad.dims() == 1 && grad.dim_size(0) == out.dim_size(0),
        errors::InvalidArgument("backprop_val_grad must be a vector with an "
                                "element for each row of output_indices, got ",
                                grad.shape().DebugString(), " for ",
                                out.dim_size(0), " rows"));
    OP_REQUIRES(
        ctx, in.dim_size(1) == out.dim_size(1),
        errors::InvalidArgument("The input and output should have the same "
                                "ndims: got ",
                                in.dim_size(1), " and ", out.dim_size(1)));
    OP_REQUIRES(ctx, start.dims() == 1 && start.dim_size(0) == in.dim_size(1),
                errors::InvalidArgument(
                    "input_start must be a vector of length ", in.dim_size(1),
                    ", got ", start.shape().DebugString()));
    Tensor* result = nullptr;
    OP_REQUIRES_OK(
        ctx, ctx->allocate_output(0, TensorShape({in.dim_size(0)}), &result));
    const int64_t used =
        Place(sparse::RowsOf(in), sparse::RowsOf(out), start.base<int64_t>(),
              grad.base<T>(), result->base<T>());
    OP_REQUIRES(
        ctx, used == grad.NumElements(),
        errors::InvalidArgument("Elements of backprop_val_grad aren't all "
                                "propagated. Num elements: ",
                                grad.NumElements(), ", used: ", used));
  }

 private:
  // Returns how many rows of `out` it found.
  static int64_t Place(sparse::Rows in, sparse::Rows out, const int64_t* start,
                       const T* grad, T* result) {
    int64_t j = 0;
    for (int64_t i = 0; i < in.n; ++i) {
      bool same = j < out.n;
      for (int64_t d = 0; same && d < in.rank; ++d) {
        same = static_cast<uint64_t>(out[j][d]) +
                   static_cast<uint64_t>(start[d]) ==
               static_cast<uint64_t>(in[i][d]);
      }
      result[i] = same ? grad[j] : T(0);
      j += same;
    }
    return j;
  }
};
REGISTER_KERNEL_FOR_TYPES(Name("SparseSliceGrad").Device(DEVICE_CPU), "T",
                          SparseSliceGradOp, float, double, half, bfloat16,
                          int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t,
                          uint32_t, uint64_t, complex64, complex128);

}  // namespace tensorwright
