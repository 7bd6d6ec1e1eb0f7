// SPDX-License-Identifier: Apache-2.0
// QuantizedRelu, QuantizedRelu6 and QuantizedReluX: they keep codes between
// those of two real numbers.

#include <algorithm>
#include <cstdint>

#include "core/framework/numeric_types.h"
#include "core/framework/op_kernel.h"
#include "core/framework/tensor.h"
#include "core/kernels/lib/quantized_codes.h"
#include "core/kernels/lib/wide_loops.h"
#include "core/util/work_sharder.h"

namespace tensorwright {
namespace {

template <typename T>
struct ClampLoop {
  TW_WIDE_LOOP static void Run(CodeType<T> low, CodeType<T> high, const T* x,
                               T* y, int64_t n) {
    TW_VECTORIZE
    for (int64_t i = 0; i < n; ++i) {
      const CodeType<T> above = std::max(x[i].value, low);
      y[i].value = std::min(above, high);
    }
  }
};

enum class Ceiling { kNone, kSix, kGiven };

}  // namespace

// The inputs are the features, the ceiling if it is an input, and the ends of
// the range.
template <typename T, Ceiling kCeiling>
class QuantizedActivation final : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* ctx) override {
    constexpr int kRange = kCeiling == Ceiling::kGiven ? 2 : 1;
    const Tensor& features = ctx->input(0);
    float ceiling = 6, min = 0, max = 0;
    if (kCeiling == Ceiling::kGiven) {
      OP_REQUIRES_OK(ctx, ScalarInput(ctx, 1, "max_value", &ceiling));
    }
    OP_REQUIRES_OK(ctx, ScalarInput(ctx, kRange, "min_features", &min));
    OP_REQUIRES_OK(ctx, ScalarInput(ctx, kRange + 1, "max_features", &max));
    const CodeType<T> low = RealToCode<T>(0.0f, min, max).value;
    const CodeType<T> high = kCeiling == Ceiling::kNone
                                 ? kHighestCode<T>
                                 : RealToCode<T>(ceiling, min, max).value;
    const T* x = features.base<T>();
    Tensor* out = nullptr;
    OP_REQUIRES_OK(ctx, ctx->forward_input_or_allocate_output(
                            {0}, 0, features.shape(), &out));
    T* y = out->base<T>();
    ParallelFor(ctx, out->NumElements(), 1, [&](int64_t begin, int64_t end) {
      RunWide<ClampLoop<T>>(low, high, x + begin, y + begin, end - begin);
    });
    OP_REQUIRES_OK(ctx, ScalarOutput(ctx, 1, min));
    OP_REQUIRES_OK(ctx, ScalarOutput(ctx, 2, max));
  }
};

template <typename T>
using QuantizedReluOp = QuantizedActivation<T, Ceiling::kNone>;
template <typename T>
using QuantizedRelu6Op = QuantizedActivation<T, Ceiling::kSix>;
template <typename T>
using QuantizedReluXOp = QuantizedActivation<T, Ceiling::kGiven>;

REGISTER_KERNEL_BUILDER(Name("QuantizedRelu")
                            .Device(DEVICE_CPU)
                            .TypeConstraint<quint8>("Tinput")
                            .TypeConstraint<quint8>("out_type"),
                        QuantizedReluOp<quint8>);
REGISTER_KERNEL_BUILDER(Name("QuantizedRelu")
                            .Device(DEVICE_CPU)
                            .TypeConstraint<qint32>("Tinput")
                            .TypeConstraint<qint32>("out_type"),
                        QuantizedReluOp<qint32>);
REGISTER_KERNEL_BUILDER(Name("QuantizedRelu6")
                            .Device(DEVICE_CPU)
                            .TypeConstraint<quint8>("Tinput")
                            .TypeConstraint<quint8>("out_type"),
                        QuantizedRelu6Op<quint8>);
REGISTER_KERNEL_BUILDER(Name("QuantizedRelu6")
                            .Device(DEVICE_CPU)
                            .TypeConstraint<qint32>("Tinput")
                            .TypeConstraint<qint32>("out_type"),
                        QuantizedRelu6Op<qint32>);
REGISTER_KERNEL_BUILDER(Name("QuantizedReluX")
                            .Device(DEVICE_CPU)
                            .TypeConstraint<quint8>("Tinput")
                            .TypeConstraint<quint8>("out_type"),
                        QuantizedReluXOp<quint8>);
REGISTER_KERNEL_BUILDER(Name("QuantizedReluX")
                            .Device(DEVICE_CPU)
                            .TypeConstraint<qint32>("Tinput")
                            .TypeConstraint<qint32>("out_type"),
                        QuantizedReluXOp<qint32>);

}  // namespace tensorwright
