// SPDX-License-Identifier: Apache-2.0
// RandomShuffle: puts the slices of the first dimension in random order.

#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include "core/framework/op_kernel.h"
#include "core/framework/tensor.h"
#include "core/kernels/lib/element_dispatch.h"
#include "core/lib/random/philox_random.h"
#include "core/lib/random/random_distributions.h"
#include "core/util/guarded_philox_random.h"
#include "core/util/work_sharder.h"

namespace tensorwright {
namespace {

// Fisher-Yates from the front, one 32-bit number for each swap, which is
// TensorFlow's order.
std::vector<int64_t> RandomPermutation(int64_t n, random::PhiloxRandom gen) {
  random::SingleSampleAdapter<random::PhiloxRandom> next(&gen);
  std::vector<int64_t> permutation(n);
  std::iota(permutation.begin(), permutation.end(), int64_t{0});
  for (int64_t i = 0; i + 1 < n; ++i) {
    std::swap(permutation[i],
              permutation[i + next() % static_cast<uint32_t>(n - i)]);
  }
  return permutation;
}

class RandomShuffleOp final : public OpKernel {
 public:
  explicit RandomShuffleOp(OpKernelConstruction* ctx) : OpKernel(ctx) {
    OP_REQUIRES_OK(ctx, generator_.Init(ctx));
  }

  void Compute(OpKernelContext* ctx) override {
    const Tensor& value = ctx->input(0);
    if (value.NumElements() <= 1 || value.dim_size(0) <= 1) {
      ctx->set_output(0, value);
      return;
    }
    const int64_t n = value.dim_size(0);
    const std::vector<int64_t> permutation =
        RandomPermutation(n, generator_.ReserveSamples32(n - 1));
    Tensor* out = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, value.shape(), &out));
    const int64_t slice = value.NumElements() / n;
    OP_REQUIRES_OK(
        ctx, DispatchElement(value.dtype(), [&]<typename T>(ElementTag<T>) {
          const T* from = value.base<T>();
          T* to = out->base<T>();
          ParallelFor(ctx, n, slice * MoveCost<T>() + 10,
                      [&, from, to](int64_t begin, int64_t end) {
                        for (int64_t i = begin; i < end; ++i) {
                          CopyRun(from + permutation[i] * slice, slice,
                                  to + i * slice);
                        }
                      });
        }));
  }

 private:
  GuardedPhiloxRandom generator_;
};
REGISTER_KERNEL_BUILDER(Name("RandomShuffle").Device(DEVICE_CPU),
                        RandomShuffleOp);

}  // namespace
}  // namespace tensorwright
