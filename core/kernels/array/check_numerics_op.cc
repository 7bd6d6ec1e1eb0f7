// SPDX-License-Identifier: Apache-2.0
// CheckNumerics: fails on NaN and infinity.

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <string>

#include "core/framework/numeric_types.h"
#include "core/framework/op_kernel.h"
#include "core/framework/tensor.h"
#include "core/util/work_sharder.h"

namespace tensorwright {
namespace {

// The bits of T's exponent, as an integer of T's size.
template <typename T>
struct Bits;
template <>
struct Bits<half> {
  using Int = uint16_t;
  static constexpr Int kExponent = 0x7c00, kMantissa = 0x03ff;
};
template <>
struct Bits<bfloat16> {
  using Int = uint16_t;
  static constexpr Int kExponent = 0x7f80, kMantissa = 0x007f;
};
template <>
struct Bits<float> {
  using Int = uint32_t;
  static constexpr Int kExponent = 0x7f800000, kMantissa = 0x007fffff;
};
template <>
struct Bits<double> {
  using Int = uint64_t;
  static constexpr Int kExponent = 0x7ff0000000000000,
                       kMantissa = 0x000fffffffffffff;
};

constexpr int kInf = 1;
constexpr int kNan = 2;

// kInf and kNan, as far as x has them.
template <typename T>
int FindAbnormal(const typename Bits<T>::Int* x, int64_t n) {
  using B = Bits<T>;
  constexpr int64_t kBlock = 256;
  int found = 0;
  for (int64_t start = 0; start < n; start += kBlock) {
    const int64_t end = std::min(n, start + kBlock);
    // Usually nothing is found, and this loop is all that runs.
    typename B::Int abnormal = 0;
    for (int64_t i = start; i < end; ++i) {
      abnormal |= (x[i] & B::kExponent) == B::kExponent;
    }
    if (abnormal == 0) continue;
    for (int64_t i = start; i < end; ++i) {
      if ((x[i] & B::kExponent) != B::kExponent) continue;
      found |= (x[i] & B::kMantissa) == 0 ? kInf : kNan;
    }
    if (found == (kInf | kNan)) break;
  }
  return found;
}

template <typename T>
class CheckNumericsOp final : public OpKernel {
 public:
  explicit CheckNumericsOp(OpKernelConstruction* ctx) : OpKernel(ctx) {
    OP_REQUIRES_OK(ctx, ctx->GetAttr("message", &message_));
  }

  void Compute(OpKernelContext* ctx) override {
    const Tensor& tensor = ctx->input(0);
    ctx->set_output(0, tensor);
    const auto* bits = tensor.base<typename Bits<T>::Int>();
    std::atomic<int> found{0};
    ParallelFor(ctx, tensor.NumElements(), /*cost_per_unit=*/1,
                [&found, bits](int64_t begin, int64_t end) {
                  found |= FindAbnormal<T>(bits + begin, end - begin);
                });
    if (found == 0) return;
    ctx->SetStatus(errors::InvalidArgument(message_, " : Tensor had ",
                                           found == (kInf | kNan)
                                               ? "Inf and NaN"
                                           : found == kInf ? "Inf"
                                                           : "NaN",
                                           " values"));
  }

 private:
  std::string message_;
};
REGISTER_KERNEL_FOR_TYPES(Name("CheckNumerics").Device(DEVICE_CPU), "T",
                          CheckNumericsOp, half, bfloat16, float, double);

}  // namespace
}  // namespace tensorwright
