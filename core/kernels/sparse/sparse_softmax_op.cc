// SPDX-License-Identifier: Apache-2.0
// SparseSoftmax: softmax over the elements of each row of the last dimension;
// missing elements count as -infinity.  As in TensorFlow, the results are in
// the order of the sorted indices, even if the indices are not sorted.

#include <algorithm>
#include <cstdint>
#include <vector>

#include "core/framework/numeric_types.h"
#include "core/framework/op_kernel.h"
#include "core/kernels/lib/cwise_ops_simd.h"
#include "core/kernels/lib/run_as_float.h"
#include "core/kernels/sparse/sparse_util.h"

namespace tensorwright {
namespace {

// y[i] = e^(x[i] - max x) / sum, over each group of neighbouring elements.
// starts[g] is the first element of group g; the last entry is the number of
// elements.  y may be x.
template <typename T>
void SoftmaxOfGroups(OpKernelContext* ctx, const T* x,
                     absl::Span<const int64_t> starts, T* y) {
  const int64_t groups = static_cast<int64_t>(starts.size()) - 1;
  if (groups <= 0) return;
  const int64_t cost = 20 + 10 * starts[groups] / groups;
  ParallelFor(ctx, groups, cost, [&](int64_t begin, int64_t end) {
    for (int64_t g = begin; g < end; ++g) {
      T most = x[starts[g]];
      for (int64_t i = starts[g]; i < starts[g + 1]; ++i) {
        most = functor::Maximum<T>()(most, x[i]);
      }
      for (int64_t i = starts[g]; i < starts[g + 1]; ++i) y[i] = x[i] - most;
    }
    // Groups are often short, so the vectors go over all of them at once.
    const int64_t first = starts[begin];
    SimdLoop<functor::Exp>::Run(y + first, y + first, starts[end] - first);
    for (int64_t g = begin; g < end; ++g) {
      T sum = 0;
      for (int64_t i = starts[g]; i < starts[g + 1]; ++i) sum += y[i];
      for (int64_t i = starts[g]; i < starts[g + 1]; ++i) y[i] /= sum;
    }
  });
}

// Returns the places at which a coordinate other than the last changes, among
// rows in the order `row_at(i)`.
template <typename RowAt>
std::vector<int64_t> GroupStarts(sparse::Rows rows, const RowAt& row_at) {
  std::vector<int64_t> starts;
  for (int64_t i = 0; i < rows.n; ++i) {
    if (i == 0 ||
        sparse::CompareRows(row_at(i - 1), row_at(i), rows.rank - 1) != 0)
      starts.push_back(i);
  }
  starts.push_back(rows.n);
  return starts;
}

}  // namespace

template <typename T>
class SparseSoftmaxOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* ctx) override {
    const SparseInput in(ctx, 0);
    OP_REQUIRES_OK(ctx, in.Check("sp_"));
    OP_REQUIRES(
        ctx, in.rank() >= 2,
        errors::InvalidArgument(
            "Input should have rank >= 2, but received rank ", in.rank()));
    TensorShape shape;
    OP_REQUIRES_OK(ctx, ShapeOf(in.sizes(), &shape));
    const sparse::Rows rows = in.rows();
    if (IsSorted(rows)) {
      Tensor* out = nullptr;
      OP_REQUIRES_OK(ctx, ctx->allocate_output(0, in.values.shape(), &out));
      const auto row_at = [&](int64_t i) { return rows[i]; };
      Run(ctx, in.values, GroupStarts(rows, row_at), out);
      return;
    }
    const std::vector<int64_t> order =
        sparse::SortedOrder(rows, in.sizes(), AllDims(in.rank()));
    OP_REQUIRES_OK(ctx, SetValues(ctx, 0, in.values, order));
    const auto row_at = [&](int64_t i) { return rows[order[i]]; };
    Tensor* const out = ctx->mutable_output(0);
    Run(ctx, *out, GroupStarts(rows, row_at), out);
  }

 private:
  // `out` may be `values`.
  static void Run(OpKernelContext* ctx, const Tensor& values,
                  absl::Span<const int64_t> starts, Tensor* out) {
    const int64_t n = values.NumElements();
    if constexpr (kIsStorageOnly<T>) {
      Tensor wide;
      OP_REQUIRES_OK(ctx, ctx->allocate_temp(DT_FLOAT, values.shape(), &wide));
      float* const x = wide.base<float>();
      WidenFloats(values.base<T>(), x, n);
      SoftmaxOfGroups<float>(ctx, x, starts, x);
      NarrowFloats(x, out->base<T>(), n);
    } else {
      SoftmaxOfGroups<T>(ctx, values.base<T>(), starts, out->base<T>());
    }
  }
};
REGISTER_KERNEL_FOR_TYPES(Name("SparseSoftmax").Device(DEVICE_CPU), "T",
                          SparseSoftmaxOp, half, float, double);

}  // namespace tensorwright
