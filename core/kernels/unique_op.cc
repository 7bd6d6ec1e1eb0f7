// SPDX-License-Identifier: Apache-2.0
// Unique: the different values of a vector, and where each element is among
// them.

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"
#include "core/framework/numeric_types.h"
#include "core/framework/op_kernel.h"
#include "core/framework/tensor.h"
#include "core/kernels/element_dispatch.h"

namespace tensorwright {
namespace {

// The first positions of the different values, in order, and per element the
// number of its value.
struct Distinct {
  std::vector<int64_t> first;
  std::vector<int64_t> number;
};

// `key(i)` is equal for equal elements; `alone(i)` says that an element equals
// none, not even itself.
template <typename Key, typename KeyOf, typename Alone>
Distinct FindDistinct(int64_t n, KeyOf key, Alone alone) {
  Distinct distinct;
  distinct.number.resize(n);
  absl::flat_hash_map<Key, int64_t> numbers;
  numbers.reserve(n < 1024 ? n : n / 4);
  for (int64_t i = 0; i < n; ++i) {
    const int64_t next = static_cast<int64_t>(distinct.first.size());
    int64_t number = next;
    if (!alone(i)) number = numbers.try_emplace(key(i), next).first->second;
    if (number == next) distinct.first.push_back(i);
    distinct.number[i] = number;
  }
  return distinct;
}

// Numbers of up to 8 bytes share one table, keyed by their bits; -0 is 0.
template <typename T>
Distinct FindDistinctNumbers(const T* x, int64_t n) {
  constexpr bool kFloat = !std::is_integral_v<T>;
  const auto key = [x](int64_t i) {
    T value = x[i];
    if (kFloat && value == T(0)) value = T(0);
    uint64_t bits = 0;
    std::memcpy(&bits, &value, sizeof(T));
    return bits;
  };
  return FindDistinct<uint64_t>(
      n, key, [x](int64_t i) { return kFloat && x[i] != x[i]; });
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
    Distinct distinct;
    OP_REQUIRES_OK(ctx, Find(x, &distinct));

    Tensor* y = nullptr;
    OP_REQUIRES_OK(
        ctx,
        ctx->allocate_output(
            0, TensorShape({static_cast<int64_t>(distinct.first.size())}), &y));
    OP_REQUIRES_OK(ctx,
                   DispatchElement(x.dtype(), [&]<typename T>(ElementTag<T>) {
                     T* to = y->base<T>();
                     for (int64_t i : distinct.first) *to++ = x.base<T>()[i];
                   }));
    Tensor* idx = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(1, x.shape(), &idx));
    Index* to = idx->base<Index>();
    for (int64_t i = 0; i < n; ++i) {
      to[i] = static_cast<Index>(distinct.number[i]);
    }
  }

 private:
  static Status Find(const Tensor& x, Distinct* out) {
    const int64_t n = x.NumElements();
    const auto numbers = [&x, n, out]<typename T>(ElementTag<T>) {
      *out = FindDistinctNumbers<T>(x.base<T>(), n);
      return OkStatus();
    };
    switch (x.dtype()) {
      case DT_FLOAT:
        return numbers(ElementTag<float>());
      case DT_DOUBLE:
        return numbers(ElementTag<double>());
      case DT_HALF:
        return numbers(ElementTag<half>());
      case DT_BFLOAT16:
        return numbers(ElementTag<bfloat16>());
      case DT_BOOL:
      case DT_INT8:
      case DT_UINT8:
        return numbers(ElementTag<uint8_t>());
      case DT_INT16:
      case DT_UINT16:
        return numbers(ElementTag<uint16_t>());
      case DT_INT32:
      case DT_UINT32:
        return numbers(ElementTag<uint32_t>());
      case DT_INT64:
      case DT_UINT64:
        return numbers(ElementTag<uint64_t>());
      case DT_STRING: {
        const std::string* strings = x.base<std::string>();
        *out = FindDistinct<absl::string_view>(
            n, [strings](int64_t i) { return absl::string_view(strings[i]); },
            [](int64_t) { return false; });
        return OkStatus();
      }
      default:
        return errors::Unimplemented("Unique: type ", DataTypeString(x.dtype()),
                                     " has no equality here");
    }
  }
};
// What Find has a case for.
constexpr DataType kUniqueTypes[] = {
    DT_FLOAT, DT_DOUBLE, DT_HALF,  DT_BFLOAT16, DT_BOOL,  DT_INT8,   DT_UINT8,
    DT_INT16, DT_UINT16, DT_INT32, DT_UINT32,   DT_INT64, DT_UINT64, DT_STRING};

REGISTER_KERNEL_BUILDER(Name("Unique")
                            .Device(DEVICE_CPU)
                            .TypeConstraint("T", kUniqueTypes)
                            .TypeConstraint<int32_t>("out_idx"),
                        UniqueOp<int32_t>);
REGISTER_KERNEL_BUILDER(Name("Unique")
                            .Device(DEVICE_CPU)
                            .TypeConstraint("T", kUniqueTypes)
                            .TypeConstraint<int64_t>("out_idx"),
                        UniqueOp<int64_t>);

}  // namespace
}  // namespace tensorwright
