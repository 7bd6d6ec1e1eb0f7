// SPDX-License-Identifier: Apache-2.0
// The kernels of Select and SelectV2.

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <type_traits>
#include <vector>

#include "core/framework/numeric_types.h"
#include "core/framework/op_kernel.h"
#include "core/kernels/lib/cwise_ops.h"
#include "core/kernels/math/cwise_ops_select_walk.h"
#include "core/util/elementwise.h"
#include "core/util/scalar_kernel.h"
#include "core/util/work_sharder.h"

namespace tensorwright {
namespace {

// The elements of `kSize` bytes as bits: a choice that data make must not be a
// branch.
template <size_t kSize>
using BitsOfSize = std::conditional_t<
    kSize == 1, uint8_t,
    std::conditional_t<kSize == 2, uint16_t,
                       std::conditional_t<kSize == 4, uint32_t, uint64_t>>>;

struct SelectBitsLoop {
  template <typename Bits>
  TW_WIDE_LOOP static void Run(const uint8_t* choose, const Bits* yes,
                               const Bits* no, Bits* out, int64_t n) {
    TW_VECTORIZE
    for (int64_t i = 0; i < n; ++i) {
      const Bits mask = static_cast<Bits>(0 - static_cast<Bits>(choose[i]));
      out[i] = static_cast<Bits>((yes[i] & mask) | (no[i] & ~mask));
    }
  }
};

template <typename T>
void SelectRun(const bool* choose, const T* yes, const T* no, T* out,
               int64_t n) {
  if constexpr (std::is_trivially_copyable_v<T> && sizeof(T) <= 8) {
    using Bits = BitsOfSize<sizeof(T)>;
    RunWide<SelectBitsLoop>(reinterpret_cast<const uint8_t*>(choose),
                            reinterpret_cast<const Bits*>(yes),
                            reinterpret_cast<const Bits*>(no),
                            reinterpret_cast<Bits*>(out), n);
  } else {
    for (int64_t i = 0; i < n; ++i) {
      const T& chosen = choose[i] ? yes[i] : no[i];
      if (&chosen != &out[i]) out[i] = chosen;
    }
  }
}

// out[i] = yes or no, whichever choose says; the inputs move by `steps` with i.
template <typename T>
void SelectStrided(const bool* choose, const T* yes, const T* no,
                   const std::array<int64_t, SelectWalk::kInputs>& steps,
                   int64_t n, T* out) {
  const auto [c, y, z] = steps;
  if (c == 1 && y == 1 && z == 1) return SelectRun(choose, yes, no, out, n);
  if (c == 0 && (*choose ? y : z) == 1) {
    const T* const from = *choose ? yes : no;
    if (from != out) std::copy_n(from, n, out);
    return;
  }
  for (int64_t i = 0; i < n; ++i) {
    const T& chosen = choose[i * c] ? yes[i * y] : no[i * z];
    if (&chosen != &out[i]) out[i] = chosen;
  }
}

void AddScalarSelect(std::vector<ScalarCall>* calls,
                     std::vector<int>* outputs) {
  ScalarCall& call = calls->emplace_back();
  call.select = true;
  call.operands[1] = 1;
  call.operands[2] = 2;
  outputs->push_back(3);
}

}  // namespace

// condition, t, e -> t where condition, else e.
template <typename T>
class SelectOp final : public OpKernel, public ScalarKernel {
 public:
  explicit SelectOp(OpKernelConstruction* ctx)
      : OpKernel(ctx, /*is_expensive=*/false) {}

  bool ScalarCalls(std::vector<ScalarCall>* calls,
                   std::vector<int>* outputs) const override {
    AddScalarSelect(calls, outputs);
    return true;
  }

  void Compute(OpKernelContext* ctx) override {
    const Tensor& condition = ctx->input(0);
    const Tensor& t = ctx->input(1);
    const Tensor& e = ctx->input(2);
    OP_REQUIRES_OK(ctx, CheckSelect(condition.shape(), t.shape(), e.shape()));
    if (condition.dims() == 0 && t.dims() != 0) {
      ctx->set_output(0, condition.scalar_value<bool>() ? t : e);
      return;
    }
    Tensor* output = nullptr;
    OP_REQUIRES_OK(ctx, ctx->forward_input_or_allocate_output(
                            {1, 2}, 0, t.shape(), &output));
    const int64_t rows = condition.NumElements();
    if (output->NumElements() == 0) return;
    const int64_t width = t.NumElements() / rows;
    const bool* choose = condition.base<bool>();
    const T* yes = t.base<T>();
    const T* no = e.base<T>();
    T* out = output->base<T>();
    const auto run = [=](int64_t begin, int64_t end) {
      if (width == 1) {
        SelectRun(choose + begin, yes + begin, no + begin, out + begin,
                  end - begin);
        return;
      }
      for (int64_t i = begin; i < end; ++i) {
        const T* from = (choose[i] ? yes : no) + i * width;
        if (from != out + i * width) std::copy_n(from, width, out + i * width);
      }
    };
    ParallelFor(ctx, rows, width, run);
  }
};

// condition, t, e, broadcast to one shape -> t where condition, else e.
template <typename T>
class SelectV2Op final : public OpKernel, public ScalarKernel {
 public:
  explicit SelectV2Op(OpKernelConstruction* ctx)
      : OpKernel(ctx, /*is_expensive=*/false) {}

  bool ScalarCalls(std::vector<ScalarCall>* calls,
                   std::vector<int>* outputs) const override {
    AddScalarSelect(calls, outputs);
    return true;
  }

  void Compute(OpKernelContext* ctx) override {
    const Tensor& condition = ctx->input(0);
    const Tensor& t = ctx->input(1);
    const Tensor& e = ctx->input(2);
    TensorShape shape;
    OP_REQUIRES_OK(
        ctx, SelectV2Shape(condition.shape(), t.shape(), e.shape(), &shape));
    if (condition.dims() == 0) {
      const Tensor& chosen = condition.scalar_value<bool>() ? t : e;
      if (chosen.shape() == shape) {
        ctx->set_output(0, chosen);
        return;
      }
    }
    Tensor* output = nullptr;
    OP_REQUIRES_OK(
        ctx, ctx->forward_input_or_allocate_output({1, 2}, 0, shape, &output));
    if (output->NumElements() == 0) return;
    const SelectWalk walk(shape, {&condition, &t, &e});
    const bool* const choose = condition.base<bool>();
    const T* const yes = t.base<T>();
    const T* const no = e.base<T>();
    T* const out = output->base<T>();
    ParallelFor(ctx, shape.num_elements(), 2, [&](int64_t begin, int64_t end) {
      walk.ForEachRun(begin, end,
                      [&](int64_t at, int64_t n, const int64_t* in) {
                        SelectStrided(choose + in[0], yes + in[1], no + in[2],
                                      walk.steps(), n, out + at);
                      });
    });
  }
};

REGISTER_KERNEL_FOR_TYPES(Name("SelectV2").Device(DEVICE_CPU), "T", SelectV2Op,
                          bool, int8, int16, int32, int64_t, uint8, uint16,
                          uint32, uint64, Eigen::half, Eigen::bfloat16, float,
                          double, complex64, complex128, std::string);

REGISTER_KERNEL_FOR_TYPES(Name("Select").Device(DEVICE_CPU), "T", SelectOp,
                          bool, int8, int16, int32, int64_t, uint8, uint16,
                          uint32, uint64, Eigen::half, Eigen::bfloat16, float,
                          double, complex64, complex128, std::string);
const ElementwiseRegistrar select_traits("Select", ElementwiseKind::kSelect);

}  // namespace tensorwright
