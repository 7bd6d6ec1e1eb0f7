// SPDX-License-Identifier: Apache-2.0
// SparseReduceSum and SparseReduceMax, with a dense or a sparse result.
// Missing elements do not count; a group without elements gives 0.

#include <algorithm>
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

// The dimensions that stay, and the sizes of the result.
struct Reduction {
  std::vector<int64_t> kept;
  std::vector<int64_t> sizes;
  // The place of coordinate j of `kept` in a row of the result.
  std::vector<int64_t> places;
};

Status ReadReduction(absl::Span<const int64_t> sizes, const Tensor& axes,
                     bool keep_dims, Reduction* reduction) {
  if (axes.dims() > 1) {
    return errors::InvalidArgument(
        "reduction_axes must be a scalar or a vector, got shape ",
        axes.shape().DebugString());
  }
  const int64_t rank = static_cast<int64_t>(sizes.size());
  std::vector<bool> reduced(rank, false);
  for (int64_t i = 0; i < axes.NumElements(); ++i) {
    const int64_t axis = axes.base<int32_t>()[i];
    if (axis < -rank || axis >= rank) {
      return errors::InvalidArgument("Invalid reduction dimension ", axis,
                                     ", for input with ", rank, " dimensions.");
    }
    reduced[axis < 0 ? axis + rank : axis] = true;
  }
  for (int64_t d = 0; d < rank; ++d) {
    if (!reduced[d]) {
      reduction->kept.push_back(d);
      reduction->places.push_back(
          static_cast<int64_t>(reduction->sizes.size()));
      reduction->sizes.push_back(sizes[d]);
    } else if (keep_dims) {
      reduction->sizes.push_back(1);
    }
  }
  return OkStatus();
}

// The type in which values are added or compared.
template <typename T>
using Accumulated = std::conditional_t<kIsStorageOnly<T>, float, T>;

struct Sum {
  template <typename T>
  static T Run(T x, T y) {
    return functor::Add<T>()(x, y);
  }
};
struct Max {
  template <typename T>
  static T Run(T x, T y) {
    return functor::Maximum<T>()(x, y);
  }
};

// Groups of entries: group g has the entries order[starts[g], starts[g + 1]).
struct Groups {
  std::vector<int64_t> order;
  std::vector<int64_t> starts;
};

Groups GroupRows(sparse::Rows rows, absl::Span<const int64_t> sizes,
                 const std::vector<int64_t>& kept) {
  const auto differ = [&](int64_t a, int64_t b) {
    return std::any_of(kept.begin(), kept.end(),
                       [&](int64_t d) { return rows[a][d] != rows[b][d]; });
  };
  Groups groups;
  groups.order = sparse::SortedOrder(rows, sizes, kept);
  for (int64_t i = 0; i < rows.n; ++i) {
    if (i == 0 || differ(groups.order[i - 1], groups.order[i])) {
      groups.starts.push_back(i);
    }
  }
  groups.starts.push_back(rows.n);
  return groups;
}

// Reduces the values of each group, in their order, to out[g].
template <typename Op, typename T>
void ReduceGroups(OpKernelContext* ctx, const Groups& groups, const T* values,
                  T* out) {
  using U = Accumulated<T>;
  const int64_t n = static_cast<int64_t>(groups.starts.size()) - 1;
  const int64_t entries = static_cast<int64_t>(groups.order.size());
  ParallelFor(ctx, n, 10 + 5 * entries / std::max<int64_t>(n, 1),
              [&](int64_t begin, int64_t end) {
                for (int64_t g = begin; g < end; ++g) {
                  const int64_t first = groups.starts[g];
                  U sum = static_cast<U>(values[groups.order[first]]);
                  for (int64_t i = first + 1; i < groups.starts[g + 1]; ++i) {
                    sum = Op::Run(sum, static_cast<U>(values[groups.order[i]]));
                  }
                  out[g] = static_cast<T>(sum);
                }
              });
}

// Reduces all entries i with the same place to out[place]; out is 0 at places
// without an entry.
template <typename Op, typename T>
void ReduceInto(const std::vector<int64_t>& places, const T* values,
                Accumulated<T>* out, int64_t size) {
  using U = Accumulated<T>;
  const int64_t n = static_cast<int64_t>(places.size());
  std::fill_n(out, size, U(0));
  if constexpr (std::is_same_v<Op, Sum>) {
    // Neighbouring entries are often of one group.
    for (int64_t i = 0; i < n;) {
      const int64_t place = places[i];
      U sum = out[place];
      for (; i < n && places[i] == place; ++i) {
        sum = Op::Run(sum, static_cast<U>(values[i]));
      }
      out[place] = sum;
    }
  } else {
    std::vector<bool> seen(size, false);
    for (int64_t i = 0; i < n; ++i) {
      const U value = static_cast<U>(values[i]);
      U& to = out[places[i]];
      to = seen[places[i]] ? Op::Run(to, value) : value;
      seen[places[i]] = true;
    }
  }
}

template <typename Op, typename T>
class SparseReduceOp final : public OpKernel {
 public:
  explicit SparseReduceOp(OpKernelConstruction* ctx) : OpKernel(ctx) {
    OP_REQUIRES_OK(ctx, ctx->GetAttr("keep_dims", &keep_dims_));
  }

  void Compute(OpKernelContext* ctx) override {
    const SparseInput in(ctx, 0);
    OP_REQUIRES_OK(ctx, in.Check("input_"));
    TensorShape shape, out_shape;
    OP_REQUIRES_OK(ctx, ShapeOf(in.sizes(), &shape));
    Reduction reduction;
    OP_REQUIRES_OK(
        ctx, ReadReduction(in.sizes(), ctx->input(3), keep_dims_, &reduction));
    OP_REQUIRES_OK(ctx, ShapeOf(reduction.sizes, &out_shape));
    OP_REQUIRES_OK(ctx, sparse::CheckInside(in.rows(), in.sizes()));
    std::vector<int64_t> places;
    sparse::PlacesOf(in.rows(), in.sizes(), reduction.kept, &places);
    Tensor* out = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, out_shape, &out));
    const T* const values = in.values.base<T>();
    if constexpr (kIsStorageOnly<T>) {
      Tensor wide;
      OP_REQUIRES_OK(ctx, ctx->allocate_temp(DT_FLOAT, out_shape, &wide));
      ReduceInto<Op, T>(places, values, wide.base<float>(), wide.NumElements());
      NarrowFloats(wide.base<float>(), out->base<T>(), wide.NumElements());
    } else {
      ReduceInto<Op, T>(places, values, out->base<T>(), out->NumElements());
    }
  }

 private:
  bool keep_dims_ = false;
};

template <typename Op, typename T>
class SparseReduceSparseOp final : public OpKernel {
 public:
  explicit SparseReduceSparseOp(OpKernelConstruction* ctx) : OpKernel(ctx) {
    OP_REQUIRES_OK(ctx, ctx->GetAttr("keep_dims", &keep_dims_));
  }

  void Compute(OpKernelContext* ctx) override {
    const SparseInput in(ctx, 0);
    OP_REQUIRES_OK(ctx, in.Check("input_"));
    TensorShape shape;
    OP_REQUIRES_OK(ctx, ShapeOf(in.sizes(), &shape));
    Reduction reduction;
    OP_REQUIRES_OK(
        ctx, ReadReduction(in.sizes(), ctx->input(3), keep_dims_, &reduction));
    const sparse::Rows rows = in.rows();
    const Groups groups = GroupRows(rows, in.sizes(), reduction.kept);

    const int64_t n = static_cast<int64_t>(groups.starts.size()) - 1;
    const int64_t rank = static_cast<int64_t>(reduction.sizes.size());
    Tensor *indices = nullptr, *values = nullptr;
    OP_REQUIRES_OK(ctx,
                   ctx->allocate_output(0, TensorShape({n, rank}), &indices));
    OP_REQUIRES_OK(ctx, ctx->allocate_output(1, TensorShape({n}), &values));
    OP_REQUIRES_OK(ctx, SetSizes(ctx, 2, reduction.sizes));
    ReduceGroups<Op>(ctx, groups, in.values.base<T>(), values->base<T>());
    int64_t* to = indices->base<int64_t>();
    std::fill_n(to, indices->NumElements(), 0);
    for (int64_t g = 0; g < n; ++g, to += rank) {
      const int64_t* const row = rows[groups.order[groups.starts[g]]];
      for (size_t j = 0; j < reduction.kept.size(); ++j) {
        to[reduction.places[j]] = row[reduction.kept[j]];
      }
    }
  }

 private:
  bool keep_dims_ = false;
};

}  // namespace

template <typename T>
using SparseReduceSumOp = SparseReduceOp<Sum, T>;
template <typename T>
using SparseReduceSumSparseOp = SparseReduceSparseOp<Sum, T>;
template <typename T>
using SparseReduceMaxOp = SparseReduceOp<Max, T>;
template <typename T>
using SparseReduceMaxSparseOp = SparseReduceSparseOp<Max, T>;

REGISTER_KERNEL_FOR_TYPES(Name("SparseReduceSum").Device(DEVICE_CPU), "T",
                          SparseReduceSumOp, float, double, half, bfloat16,
                          int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t,
                          uint32_t, uint64_t, complex64, complex128);
REGISTER_KERNEL_FOR_TYPES(Name("SparseReduceSumSparse").Device(DEVICE_CPU), "T",
                          SparseReduceSumSparseOp, float, double, half,
                          bfloat16, int8_t, int16_t, int32_t, int64_t, uint8_t,
                          uint16_t, uint32_t, uint64_t, complex64, complex128);
REGISTER_KERNEL_FOR_TYPES(Name("SparseReduceMax").Device(DEVICE_CPU), "T",
                          SparseReduceMaxOp, float, double, half, bfloat16,
                          int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t,
                          uint32_t, uint64_t);
REGISTER_KERNEL_FOR_TYPES(Name("SparseReduceMaxSparse").Device(DEVICE_CPU), "T",
                          SparseReduceMaxSparseOp, float, double, half,
                          bfloat16, int8_t, int16_t, int32_t, int64_t, uint8_t,
                          uint16_t, uint32_t, uint64_t);

}  // namespace tensorwright
