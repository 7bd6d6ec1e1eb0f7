// SPDX-License-Identifier: Apache-2.0
// Vectors as sets: Unique and UniqueWithCounts, the different values of one,
// and ListDiff, the elements of one that another lacks.

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "core/framework/op_kernel.h"
#include "core/framework/tensor.h"
#include "core/kernels/array/unique_op_keys.h"
#include "core/kernels/lib/element_dispatch.h"

namespace tensorwright {
namespace {

// The first positions of the different values, in order; number[i] is the
// number of element i's value.
template <typename Keys, typename Index>
std::vector<int64_t> FindDistinct(const Keys& keys, int64_t n, Index* number) {
  std::vector<int64_t> first;
  absl::flat_hash_map<typename Keys::Key, Index> numbers;
  numbers.reserve(n < 1024 ? n : n / 4);
  for (int64_t i = 0; i < n; ++i) {
    const Index next = static_cast<Index>(first.size());
    number[i] = next;
    if (!keys.Alone(i)) {
      number[i] = numbers.try_emplace(keys(i), next).first->second;
    }
    if (number[i] == next) first.push_back(i);
  }
  return first;
}

template <typename Index>
class UniqueOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* ctx) override {
    const Tensor& x = ctx->input(0);
    OP_REQUIRES(ctx, x.dims() == 1,
                errors::InvalidArgument("unique expects a 1D vector, got ",
                                        x.shape().DebugString()));
    const int64_t n = x.NumElements();
    OP_REQUIRES(ctx, n <= std::numeric_limits<Index>::max(),
                errors::InvalidArgument(
                    "unique does not support input tensors larger than ",
                    std::numeric_limits<Index>::max(), " elements"));
    Tensor* idx = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(1, x.shape(), &idx));
    Index* number = idx->base<Index>();
    std::vector<int64_t> first;
    OP_REQUIRES_OK(
        ctx, DispatchKeys(x.dtype(), [&]<typename Keys>(ElementTag<Keys>) {
          first = FindDistinct(Keys(x), n, number);
        }));
    const TensorShape shape({static_cast<int64_t>(first.size())});
    Tensor* y = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, shape, &y));
    OP_REQUIRES_OK(ctx,
                   DispatchElement(x.dtype(), [&]<typename T>(ElementTag<T>) {
                     T* to = y->base<T>();
                     for (int64_t i : first) *to++ = x.base<T>()[i];
                   }));
    if (num_outputs() < 3) return;
    Tensor* count = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(2, shape, &count));
    Index* counts = count->base<Index>();
    std::fill_n(counts, first.size(), Index{0});
    for (int64_t i = 0; i < n; ++i) ++counts[number[i]];
  }
};

REGISTER_KERNEL_BUILDER(Name("Unique")
                            .Device(DEVICE_CPU)
                            .TypeConstraint("T", kKeyTypes)
                            .TypeConstraint<int32_t>("out_idx"),
                        UniqueOp<int32_t>);
REGISTER_KERNEL_BUILDER(Name("Unique")
                            .Device(DEVICE_CPU)
                            .TypeConstraint("T", kKeyTypes)
                            .TypeConstraint<int64_t>("out_idx"),
                        UniqueOp<int64_t>);
REGISTER_KERNEL_BUILDER(Name("UniqueWithCounts")
                            .Device(DEVICE_CPU)
                            .TypeConstraint("T", kKeyTypes)
                            .TypeConstraint<int32_t>("out_idx"),
                        UniqueOp<int32_t>);
REGISTER_KERNEL_BUILDER(Name("UniqueWithCounts")
                            .Device(DEVICE_CPU)
                            .TypeConstraint("T", kKeyTypes)
                            .TypeConstraint<int64_t>("out_idx"),
                        UniqueOp<int64_t>);

// The positions of the elements of x that equal none of y.
template <typename Keys>
std::vector<int64_t> FindMissing(const Keys& x, int64_t nx, const Keys& y,
                                 int64_t ny) {
  absl::flat_hash_set<typename Keys::Key> seen;
  seen.reserve(ny < 1024 ? ny : ny / 4);
  for (int64_t i = 0; i < ny; ++i) {
    if (!y.Alone(i)) seen.insert(y(i));
  }
  std::vector<int64_t> missing;
  for (int64_t i = 0; i < nx; ++i) {
    if (x.Alone(i) || !seen.contains(x(i))) missing.push_back(i);
  }
  return missing;
}

template <typename Index>
class ListDiffOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* ctx) override {
    const Tensor& x = ctx->input(0);
    const Tensor& y = ctx->input(1);
    for (int i = 0; i < 2; ++i) {
      OP_REQUIRES(ctx, ctx->input(i).dims() == 1,
                  errors::InvalidArgument(i == 0 ? "x" : "y",
                                          " should be a 1D vector, got shape ",
                                          ctx->input(i).shape().DebugString()));
    }
    OP_REQUIRES(ctx, x.NumElements() <= std::numeric_limits<Index>::max(),
                errors::InvalidArgument("ListDiff: x has ", x.NumElements(),
                                        " elements, more than out_idx counts"));
    std::vector<int64_t> missing;
    OP_REQUIRES_OK(
        ctx, DispatchKeys(x.dtype(), [&]<typename Keys>(ElementTag<Keys>) {
          missing =
              FindMissing(Keys(x), x.NumElements(), Keys(y), y.NumElements());
        }));
    const TensorShape shape({static_cast<int64_t>(missing.size())});
    Tensor* out = nullptr;
    Tensor* idx = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, shape, &out));
    OP_REQUIRES_OK(ctx, ctx->allocate_output(1, shape, &idx));
    Index* index = idx->base<Index>();
    OP_REQUIRES_OK(ctx,
                   DispatchElement(x.dtype(), [&]<typename T>(ElementTag<T>) {
                     T* to = out->base<T>();
                     for (int64_t i : missing) {
                       *to++ = x.base<T>()[i];
                       *index++ = static_cast<Index>(i);
                     }
                   }));
  }
};
REGISTER_KERNEL_BUILDER(Name("ListDiff")
                            .Device(DEVICE_CPU)
                            .TypeConstraint("T", kKeyTypes)
                            .TypeConstraint<int32_t>("out_idx"),
                        ListDiffOp<int32_t>);
REGISTER_KERNEL_BUILDER(Name("ListDiff")
                            .Device(DEVICE_CPU)
                            .TypeConstraint("T", kKeyTypes)
                            .TypeConstraint<int64_t>("out_idx"),
                        ListDiffOp<int64_t>);

}  // namespace
}  // namespace tensorwright
