// SPDX-License-Identifier: Apache-2.0
// SparseDenseCwiseAdd, -Mul, -Div: they combine each element of a sparse tensor
// with the element of a dense tensor at the same place; the dense tensor is
// broadcast.

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "core/framework/numeric_types.h"
#include "core/framework/op_kernel.h"
#include "core/kernels/lib/cwise_functors.h"
#include "core/kernels/lib/run_as_float.h"
#include "core/kernels/sparse/sparse_util.h"

namespace tensorwright {
namespace {

// strides[d] = the distance between dense elements that are neighbours in
// dimension d; 0 if it is broadcast.
Status BroadcastStrides(absl::Span<const int64_t> sizes, const Tensor& dense,
                        std::vector<int64_t>* strides) {
  const int64_t rank = static_cast<int64_t>(sizes.size());
  const int64_t missing = rank - dense.dims();
  bool fits = missing >= 0;
  strides->assign(sizes.size(), 0);
  int64_t stride = 1;
  for (int d = dense.dims() - 1; fits && d >= 0; --d) {
    const int64_t size = dense.dim_size(d);
    fits = size == 1 || size == sizes[missing + d];
    if (size != 1) (*strides)[missing + d] = stride;
    stride *= size;
  }
  if (fits) return OkStatus();
  TensorShape shape;
  TF_RETURN_IF_ERROR(ShapeOf(sizes, &shape));
  return errors::InvalidArgument(
      "SparseDenseCwise ops broadcast dense to sparse only; got incompatible "
      "shapes: ",
      shape.DebugString(), " vs. ", dense.shape().DebugString());
}

template <typename T>
bool HasZero(OpKernelContext* ctx, const Tensor& dense) {
  const T* const x = dense.base<T>();
  std::atomic<bool> found = false;
  ParallelFor(ctx, dense.NumElements(), 1, [&](int64_t begin, int64_t end) {
    bool any = false;
    for (int64_t i = begin; i < end; ++i) any |= x[i] == T(0);
    if (any) found = true;
  });
  return found;
}

template <template <typename> class F, typename T>
class SparseDenseBinaryOp final : public OpKernel {
  using U = std::conditional_t<kIsStorageOnly<T>, float, T>;
  static constexpr bool kDivides = std::is_same_v<F<U>, functor::Div<U>>;

 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* ctx) override {
    const SparseInput in(ctx, 0);
    const Tensor& dense = ctx->input(3);
    OP_REQUIRES_OK(ctx, in.Check("sp_"));
    OP_REQUIRES(ctx, in.rank() > 0,
                errors::InvalidArgument(
                    "sp_shape must have at least one element, got none"));
    TensorShape shape;
    OP_REQUIRES_OK(ctx, ShapeOf(in.sizes(), &shape));
    std::vector<int64_t> strides;
    OP_REQUIRES_OK(ctx, BroadcastStrides(in.sizes(), dense, &strides));
    OP_REQUIRES_OK(ctx, sparse::CheckInside(in.rows(), in.sizes()));
    if constexpr (kDivides) {
      OP_REQUIRES(ctx, !HasZero<T>(ctx, dense),
                  errors::InvalidArgument(
                      "SparseDenseCwiseDiv cannot divide by zero, but dense "
                      "contains a zero"));
    }
    Tensor* out = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, in.values.shape(), &out));
    Run(ctx, in.rows(), strides, in.values.base<T>(), dense.base<T>(),
        out->base<T>());
  }

 private:
  static void Run(OpKernelContext* ctx, sparse::Rows rows,
                  const std::vector<int64_t>& strides, const T* x, const T* y,
                  T* z) {
    ParallelFor(ctx, rows.n, 15 + 2 * rows.rank,
                [&](int64_t begin, int64_t end) {
                  for (int64_t i = begin; i < end; ++i) {
                    int64_t place = 0;
                    for (int64_t d = 0; d < rows.rank; ++d) {
                      place += rows[i][d] * strides[d];
                    }
                    z[i] = static_cast<T>(
                        F<U>()(static_cast<U>(x[i]), static_cast<U>(y[place])));
                  }
                });
  }
};

}  // namespace

template <typename T>
using SparseDenseCwiseAddOp = SparseDenseBinaryOp<functor::Add, T>;
template <typename T>
using SparseDenseCwiseMulOp = SparseDenseBinaryOp<functor::Mul, T>;
template <typename T>
using SparseDenseCwiseDivOp = SparseDenseBinaryOp<functor::Div, T>;

REGISTER_KERNEL_FOR_TYPES(Name("SparseDenseCwiseAdd").Device(DEVICE_CPU), "T",
                          SparseDenseCwiseAddOp, float, double, half, bfloat16,
                          int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t,
                          uint32_t, uint64_t);
REGISTER_KERNEL_FOR_TYPES(Name("SparseDenseCwiseMul").Device(DEVICE_CPU), "T",
                          SparseDenseCwiseMulOp, float, double, half, bfloat16,
                          int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t,
                          uint32_t, uint64_t);
REGISTER_KERNEL_FOR_TYPES(Name("SparseDenseCwiseDiv").Device(DEVICE_CPU), "T",
                          SparseDenseCwiseDivOp, float, double, half, bfloat16,
                          int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t,
                          uint32_t, uint64_t);

}  // namespace tensorwright
