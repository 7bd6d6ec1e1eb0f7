// SPDX-License-Identifier: Apache-2.0
// UniqueV2 and UniqueWithCountsV2: the different slices of a tensor along an
// axis.

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/hash/hash.h"
#include "core/framework/op_kernel.h"
#include "core/framework/tensor.h"
#include "core/kernels/array/unique_op_keys.h"
#include "core/kernels/lib/element_dispatch.h"
#include "core/util/int_elements.h"

namespace tensorwright {
namespace {

// A tensor seen as [outer, n, inner], whose slices are numbered 0..n-1.
struct Slices {
  int64_t outer = 1, n = 1, inner = 1;

  // The first element of run `o` of slice `i`.
  int64_t At(int64_t o, int64_t i) const { return (o * n + i) * inner; }
};

template <typename Keys>
struct SliceHash {
  const Keys* keys;
  Slices slices;

  size_t operator()(int64_t i) const {
    size_t hash = 0;
    for (int64_t o = 0; o < slices.outer; ++o) {
      const int64_t at = slices.At(o, i);
      for (int64_t j = 0; j < slices.inner; ++j) {
        hash = absl::HashOf(hash, (*keys)(at + j));
      }
    }
    return hash;
  }
};

// A slice with an element that equals none equals no slice.
template <typename Keys>
struct SlicesAreEqual {
  const Keys* keys;
  Slices slices;

  bool operator()(int64_t a, int64_t b) const {
    for (int64_t o = 0; o < slices.outer; ++o) {
      const int64_t from = slices.At(o, a), to = slices.At(o, b);
      for (int64_t j = 0; j < slices.inner; ++j) {
        if (keys->Alone(from + j) || !((*keys)(from + j) == (*keys)(to + j))) {
          return false;
        }
      }
    }
    return true;
  }
};

// The first of each kind of slice, in order; number[i] is the number of slice
// i's kind.
template <typename Keys, typename Index>
std::vector<int64_t> FindDistinctSlices(const Keys& keys, const Slices& slices,
                                        Index* number) {
  using Hash = SliceHash<Keys>;
  using Equal = SlicesAreEqual<Keys>;
  std::vector<int64_t> first;
  absl::flat_hash_set<int64_t, Hash, Equal> seen(0, Hash{&keys, slices},
                                                 Equal{&keys, slices});
  for (int64_t i = 0; i < slices.n; ++i) {
    const auto [found, is_new] = seen.insert(i);
    if (is_new) {
      number[i] = static_cast<Index>(first.size());
      first.push_back(i);
    } else {
      number[i] = number[*found];
    }
  }
  return first;
}

// x, axis: a vector of one axis, or of none for a vector x -> y, idx and maybe
// count.
template <typename Index>
class UniqueAlongAxisOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* ctx) override {
    const Tensor& x = ctx->input(0);
    int axis = 0;
    OP_REQUIRES_OK(ctx, ReadAxis(x, ctx->input(1), &axis));
    Slices slices;
    for (int d = 0; d < x.dims(); ++d) {
      int64_t& part = d < axis    ? slices.outer
                      : d == axis ? slices.n
                                  : slices.inner;
      part *= x.dim_size(d);
    }
    OP_REQUIRES(ctx, slices.n <= std::numeric_limits<Index>::max(),
                errors::InvalidArgument(type_string(), ": x must have at most ",
                                        std::numeric_limits<Index>::max(),
                                        " slices, got ", slices.n));
    Tensor* idx = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(1, TensorShape({slices.n}), &idx));
    Index* const number = idx->base<Index>();
    std::vector<int64_t> first;
    OP_REQUIRES_OK(
        ctx, DispatchKeys(x.dtype(), [&]<typename Keys>(ElementTag<Keys>) {
          first = FindDistinctSlices(Keys(x), slices, number);
        }));
    OP_REQUIRES_OK(ctx, SetSlices(ctx, x, axis, slices, first));
    if (num_outputs() < 3) return;
    Tensor* count = nullptr;
    const int64_t kinds = static_cast<int64_t>(first.size());
    OP_REQUIRES_OK(ctx, ctx->allocate_output(2, TensorShape({kinds}), &count));
    Index* const counts = count->base<Index>();
    std::fill_n(counts, kinds, Index{0});
    for (int64_t i = 0; i < slices.n; ++i) ++counts[number[i]];
  }

 private:
  Status ReadAxis(const Tensor& x, const Tensor& axis, int* result) const {
    if (axis.dims() != 1 || axis.NumElements() > 1) {
      return errors::InvalidArgument(
          type_string(), ": axis must be a vector of at most one element, got ",
          "shape ", axis.shape().DebugString());
    }
    if (axis.NumElements() == 0) {
      *result = 0;
      if (x.dims() == 1) return OkStatus();
      return errors::InvalidArgument(
          type_string(), ": x must be a vector if there is no axis, got shape ",
          x.shape().DebugString());
    }
    const int64_t given = IntAt(axis, 0);
    const int64_t at = given < 0 ? given + x.dims() : given;
    if (at < 0 || at >= x.dims()) {
      return errors::InvalidArgument(type_string(), ": axis must be in [",
                                     -x.dims(), ", ", x.dims(), "), got ",
                                     given);
    }
    *result = static_cast<int>(at);
    return OkStatus();
  }

  // Output 0: the first slice of each kind.
  static Status SetSlices(OpKernelContext* ctx, const Tensor& x, int axis,
                          const Slices& slices,
                          const std::vector<int64_t>& first) {
    TensorShape shape = x.shape();
    TF_RETURN_IF_ERROR(
        shape.SetDimWithStatus(axis, static_cast<int64_t>(first.size())));
    Tensor* y = nullptr;
    TF_RETURN_IF_ERROR(ctx->allocate_output(0, shape, &y));
    return DispatchElement(x.dtype(), [&]<typename T>(ElementTag<T>) {
      T* to = y->base<T>();
      for (int64_t o = 0; o < slices.outer; ++o) {
        for (const int64_t i : first) {
          CopyRun(x.base<T>() + slices.At(o, i), slices.inner, to);
          to += slices.inner;
        }
      }
    });
  }
};

REGISTER_KERNEL_BUILDER(Name("UniqueV2")
                            .Device(DEVICE_CPU)
                            .TypeConstraint("T", kKeyTypes)
                            .TypeConstraint<int32_t>("out_idx"),
                        UniqueAlongAxisOp<int32_t>);
REGISTER_KERNEL_BUILDER(Name("UniqueV2")
                            .Device(DEVICE_CPU)
                            .TypeConstraint("T", kKeyTypes)
                            .TypeConstraint<int64_t>("out_idx"),
                        UniqueAlongAxisOp<int64_t>);
REGISTER_KERNEL_BUILDER(Name("UniqueWithCountsV2")
                            .Device(DEVICE_CPU)
                            .TypeConstraint("T", kKeyTypes)
                            .TypeConstraint<int32_t>("out_idx"),
                        UniqueAlongAxisOp<int32_t>);
REGISTER_KERNEL_BUILDER(Name("UniqueWithCountsV2")
                            .Device(DEVICE_CPU)
                            .TypeConstraint("T", kKeyTypes)
                            .TypeConstraint<int64_t>("out_idx"),
                        UniqueAlongAxisOp<int64_t>);

}  // namespace
}  // namespace tensorwright
