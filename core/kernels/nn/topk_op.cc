// SPDX-License-Identifier: Apache-2.0
// Kernels of TopK and TopKV2.

#include <algorithm>
#include <functional>
#include <numeric>
#include <vector>

#include "core/framework/numeric_types.h"
#include "core/framework/op_kernel.h"
#include "core/kernels/lib/cwise_ops.h"
#include "core/kernels/nn/topk_op_shapes.h"
#include "core/util/work_sharder.h"

namespace tensorwright {
namespace {

// Finds the k largest of each row of n and their places; of equals the earlier
// one comes first.  `sorted`: in descending order.
using TopKLoopFn = void (*)(const void* x, int64_t rows, int64_t n, int64_t k,
                            bool sorted, void* values, int64_t* indices);

// For a larger k a heap costs more than a partition of the row.
constexpr int64_t kMaxHeap = 128;

// Leaves in `kept`, which holds 0 ... k - 1, the k of 0 ... n - 1 that come
// first.  One comparison for each element bounds it, because few rows have many
// elements that are greater than the k-th of those before.
template <typename T, typename Before>
void KeepFirst(const T* x, int64_t n, int64_t* kept, int64_t k,
               const Before& before) {
  using C = ComputeType<T>;
  std::make_heap(kept, kept + k, before);
  C least = static_cast<C>(x[kept[0]]);
  for (int64_t i = k; i < n; ++i) {
    // The first comparison is false for NaN, which `before` handles.
    if (static_cast<C>(x[i]) <= least || !before(i, kept[0])) continue;
    std::pop_heap(kept, kept + k, before);
    kept[k - 1] = i;
    std::push_heap(kept, kept + k, before);
    least = static_cast<C>(x[kept[0]]);
  }
}

template <typename T>
void TopKLoop(const void* x, int64_t rows, int64_t n, int64_t k, bool sorted,
              void* values, int64_t* indices) {
  using C = ComputeType<T>;
  const T* in = static_cast<const T*>(x);
  T* out = static_cast<T*>(values);
  std::vector<int64_t> order(n);
  for (int64_t r = 0; r < rows; ++r, in += n, out += k, indices += k) {
    const auto before = [in](int64_t a, int64_t b) {
      const C x = static_cast<C>(in[a]), y = static_cast<C>(in[b]);
      // NaN counts as the largest, so that there is an order.
      if (x != x || y != y) {
        return (x != x) == (y != y) ? a < b : x != x;
      }
      return x > y || (x == y && a < b);
    };
    if (0 < k && k <= kMaxHeap && k <= n / 4) {
      std::iota(order.begin(), order.begin() + k, 0);
      KeepFirst(in, n, order.data(), k, before);
    } else {
      std::iota(order.begin(), order.end(), 0);
      if (k < n) {
        std::nth_element(order.begin(), order.begin() + k, order.end(), before);
      }
    }
    if (sorted) std::sort(order.begin(), order.begin() + k, before);
    for (int64_t i = 0; i < k; ++i) {
      indices[i] = order[i];
      out[i] = in[order[i]];
    }
  }
}

template <typename To>
void Narrow(const Tensor& from, Tensor* to) {
  const auto in = Flat<int64_t>(from);
  const auto out = Flat<To>(to);
  for (size_t i = 0; i < in.size(); ++i) out[i] = static_cast<To>(in[i]);
}

}  // namespace

class TopKOpBase : public OpKernel {
 public:
  TopKOpBase(OpKernelConstruction* ctx, TopKLoopFn loop)
      : OpKernel(ctx), loop_(loop) {
    OP_REQUIRES_OK(ctx, ctx->GetAttr("sorted", &sorted_));
    if (num_inputs() == 1) {
      int32 k = 0;
      OP_REQUIRES_OK(ctx, ctx->GetAttr("k", &k));
      k_ = k;
    }
  }

  void Compute(OpKernelContext* ctx) override {
    const Tensor& x = ctx->input(0);
    int64_t k = k_;
    if (num_inputs() == 2) {
      OP_REQUIRES_OK(ctx, ReadTopK(ctx->input(1), &k));
    }
    TensorShape shape;
    OP_REQUIRES_OK(ctx, TopKShape(x.shape(), k, &shape));
    const int64_t n = x.dim_size(x.dims() - 1);
    Tensor* values = nullptr;
    Tensor* indices = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, shape, &values));
    OP_REQUIRES_OK(ctx, ctx->allocate_output(1, shape, &indices));
    if (values->NumElements() == 0) return;
    Tensor where = *indices;
    if (indices->dtype() != DT_INT64) {
      OP_REQUIRES_OK(ctx, ctx->allocate_temp(DT_INT64, shape, &where));
    }
    const int64_t size = DataTypeSize(x.dtype());
    const auto run = [&](int64_t begin, int64_t end) {
      loop_(x.base<char>() + begin * n * size, end - begin, n, k, sorted_,
            values->base<char>() + begin * k * size,
            where.base<int64_t>() + begin * k);
    };
    ParallelFor(ctx, x.NumElements() / n, 10 * n, run);
    if (indices->dtype() == DT_INT32) {
      Narrow<int32>(where, indices);
    } else if (indices->dtype() == DT_INT16) {
      Narrow<int16>(where, indices);
    }
  }

 private:
  const TopKLoopFn loop_;
  bool sorted_ = true;
  int64_t k_ = 0;
};

template <typename T>
class TopKOp final : public TopKOpBase {
 public:
  explicit TopKOp(OpKernelConstruction* ctx) : TopKOpBase(ctx, &TopKLoop<T>) {}
};

REGISTER_KERNEL_FOR_TYPES(Name("TopK").Device(DEVICE_CPU), "T", TopKOp, int8,
                          int16, int32, int64_t, uint8, uint16, uint32, uint64,
                          Eigen::half, Eigen::bfloat16, float, double);
REGISTER_KERNEL_FOR_TYPES(Name("TopKV2").Device(DEVICE_CPU).HostMemory("k"),
                          "T", TopKOp, int8, int16, int32, int64_t, uint8,
                          uint16, uint32, uint64, Eigen::half, Eigen::bfloat16,
                          float, double);

}  // namespace tensorwright
