// SPDX-License-Identifier: Apache-2.0
// The kernel of Bincount.

#include <algorithm>

#include "core/framework/op_kernel.h"
#include "core/framework/tensor.h"
#include "core/kernels/cwise_functors.h"
#include "core/lib/core/errors.h"

namespace tensorwright {
namespace {

// bins[arr[i]] += weight(i); false if an element is negative.
template <typename T, class Weight>
bool AddToBins(const Tensor& arr, int64_t size, const Weight& weight, T* bins) {
  const int32* in = arr.base<int32>();
  const int64_t n = arr.NumElements();
  for (int64_t i = 0; i < n; ++i) {
    const int64_t bin = in[i];
    if (bin < 0) return false;
    if (bin < size) bins[bin] = functor::Add<T>()(bins[bin], weight(i));
  }
  return true;
}

}  // namespace

// arr, size, weights -> bins [size].  On one thread: sums of floats depend on
// their order.
template <typename T>
class BincountOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* ctx) override {
    const Tensor& arr = ctx->input(0);
    const Tensor& size_tensor = ctx->input(1);
    const Tensor& weights = ctx->input(2);
    OP_REQUIRES(ctx, size_tensor.dims() == 0,
                errors::InvalidArgument(
                    "Bincount: size must be a scalar (rank 0), got shape ",
                    size_tensor.shape().DebugString()));
    const int32 size = size_tensor.scalar_value<int32>();
    OP_REQUIRES(
        ctx, size >= 0,
        errors::InvalidArgument("Bincount: size must be >= 0, got ", size));
    const bool weighted = weights.NumElements() > 0;
    OP_REQUIRES(ctx, !weighted || weights.shape() == arr.shape(),
                errors::InvalidArgument(
                    "Bincount: weights must be empty or have the shape of arr, "
                    "got ",
                    weights.shape().DebugString(), " and arr ",
                    arr.shape().DebugString()));
    Tensor* bins = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, TensorShape({size}), &bins));
    T* out = bins->base<T>();
    std::fill_n(out, size, T(0));
    const T* weight = weights.base<T>();
    const bool ok =
        weighted
            ? AddToBins(
                  arr, size, [weight](int64_t i) { return weight[i]; }, out)
            : AddToBins(
                  arr, size, [](int64_t) { return T(1); }, out);
    OP_REQUIRES(ctx, ok,
                errors::InvalidArgument(
                    "Bincount: Input arr must be non-negative, got ",
                    *std::min_element(arr.base<int32>(),
                                      arr.base<int32>() + arr.NumElements())));
  }
};

REGISTER_KERNEL_FOR_TYPES(
    Name("Bincount").Device(DEVICE_CPU).HostMemory("size"), "T", BincountOp,
    int32, int64_t, float, double);

}  // namespace tensorwright
