// SPDX-License-Identifier: Apache-2.0
// The kernel of Bucketize.

#include <algorithm>
#include <functional>
#include <vector>

#include "core/framework/op_kernel.h"
#include "core/framework/tensor.h"
#include "core/lib/core/errors.h"
#include "core/util/work_sharder.h"

namespace tensorwright {
namespace {

// Returns how many of the n ascending boundaries are not above x: all, if x is
// NaN.  The binary search has no branch that could be mispredicted.
template <typename T>
int32 BucketOf(T x, const float* boundaries, int64_t n) {
  const float* first = boundaries;
  while (n > 1) {
    const int64_t half = n / 2;
    first += !(x < first[half - 1]) ? half : 0;
    n -= half;
  }
  return static_cast<int32>(first - boundaries +
                            (n == 1 && !(x < first[0]) ? 1 : 0));
}

}  // namespace

template <typename T>
class BucketizeOp final : public OpKernel {
 public:
  explicit BucketizeOp(OpKernelConstruction* ctx) : OpKernel(ctx) {
    OP_REQUIRES_OK(ctx, ctx->GetAttr("boundaries", &boundaries_));
    OP_REQUIRES(
        ctx, std::is_sorted(boundaries_.begin(), boundaries_.end()),
        errors::InvalidArgument("Bucketize: Expected sorted boundaries"));
  }

  void Compute(OpKernelContext* ctx) override {
    const Tensor& input = ctx->input(0);
    Tensor* output = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, input.shape(), &output));
    const T* in = input.base<T>();
    int32* out = output->base<int32>();
    const int64_t n = static_cast<int64_t>(boundaries_.size());
    const auto run = [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        out[i] = BucketOf(in[i], boundaries_.data(), n);
      }
    };
    ParallelFor(ctx, input.NumElements(), 10, std::ref(run));
  }

 private:
  std::vector<float> boundaries_;
};

REGISTER_KERNEL_FOR_TYPES(Name("Bucketize").Device(DEVICE_CPU), "T",
                          BucketizeOp, int32, int64_t, float, double);

}  // namespace tensorwright
