// SPDX-License-Identifier: Apache-2.0
// The kernel of Bincount.

#include <algorithm>
#include <atomic>

#include "core/framework/op_kernel.h"
#include "core/framework/tensor.h"
#include "core/kernels/lib/cwise_functors.h"
#include "core/lib/core/errors.h"
#include "core/util/work_sharder.h"

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

// Adds to each bin how many of in[0, n) fall into it; false if one is negative.
// Neighbours count in two tables, because two additions to one bin would wait
// for each other.
bool CountInto(const int32* in, int64_t n, uint32 size, int64_t* even,
               int64_t* odd) {
  int32 signs = 0;
  int64_t i = 0;
  for (; i + 2 <= n; i += 2) {
    const uint32 a = in[i], b = in[i + 1];
    signs |= in[i] | in[i + 1];
    if (a < size) ++even[a];
    if (b < size) ++odd[b];
  }
  if (i < n) {
    signs |= in[i];
    if (static_cast<uint32>(in[i]) < size) ++even[in[i]];
  }
  return signs >= 0;
}

// An array of many elements is counted in so many pieces, unless the bins are
// so many that their tables would cost more than the counting.  The sum does
// not depend on the pieces.
constexpr int64_t kPieces = 8;
constexpr int64_t kMostBins = 1 << 12;
constexpr int64_t kManyElements = 1 << 16;

// bins[b] = how many elements of `arr` are b; *ok says that none is negative.
template <typename T>
Status CountByPieces(OpKernelContext* ctx, const Tensor& arr, int64_t size,
                     T* bins, bool* ok) {
  Tensor tables;
  TF_RETURN_IF_ERROR(
      ctx->allocate_temp(DT_INT64, TensorShape({2 * kPieces, size}), &tables));
  int64_t* const counts = tables.base<int64_t>();
  std::fill_n(counts, tables.NumElements(), 0);
  const int32* const in = arr.base<int32>();
  const int64_t n = arr.NumElements();
  std::atomic<bool> negative = false;
  const auto run = [&](int64_t begin, int64_t end) {
    for (int64_t p = begin; p < end; ++p) {
      const int64_t first = n * p / kPieces, last = n * (p + 1) / kPieces;
      int64_t* const table = counts + 2 * p * size;
      if (!CountInto(in + first, last - first, static_cast<uint32>(size), table,
                     table + size)) {
        negative = true;
      }
    }
  };
  ParallelFor(ctx, kPieces, 2 * n / kPieces, run);
  for (int64_t b = 0; b < size; ++b) {
    int64_t sum = 0;
    for (int64_t t = 0; t < 2 * kPieces; ++t) sum += counts[t * size + b];
    bins[b] = static_cast<T>(sum);
  }
  *ok = !negative;
  return OkStatus();
}

}  // namespace

// arr, size, weights -> bins [size].  One thread adds the weights, because sums
// of floats depend on their order.
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
    bool ok = true;
    if (weighted) {
      ok = AddToBins(
          arr, size, [weight](int64_t i) { return weight[i]; }, out);
    } else if (size <= kMostBins && arr.NumElements() >= kManyElements) {
      OP_REQUIRES_OK(ctx, CountByPieces(ctx, arr, size, out, &ok));
    } else {
      ok = AddToBins(
          arr, size, [](int64_t) { return T(1); }, out);
    }
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
