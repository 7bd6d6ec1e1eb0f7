// SPDX-License-Identifier: Apache-2.0
// StringToNumber: converts each string to the number it spells.

#include <cstdint>
#include <string>

#include "core/framework/op_kernel.h"
#include "core/framework/tensor.h"
#include "core/kernels/parsing/text_to_value.h"
#include "core/lib/core/errors.h"
#include "core/util/work_sharder.h"

namespace tensorwright {
namespace {

template <typename T>
class StringToNumberOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* ctx) override {
    const Tensor& input = ctx->input(0);
    Tensor* output = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, input.shape(), &output));
    const auto texts = Flat<std::string>(input);
    const auto numbers = Flat<T>(output);
    constexpr int64_t kCycles = 150;
    ParallelFor(ctx, input.NumElements(), kCycles,
                [&](int64_t begin, int64_t end) {
                  for (int64_t i = begin; i < end; ++i) {
                    if (!TextToValue(texts[i], &numbers[i])) {
                      return ctx->SetStatus(errors::InvalidArgument(
                          "StringToNumberOp could not correctly convert "
                          "string: ",
                          texts[i].substr(0, 200)));
                    }
                  }
                });
  }
};
REGISTER_KERNEL_FOR_TYPES(Name("StringToNumber").Device(DEVICE_CPU), "out_type",
                          StringToNumberOp, float, double, int32_t, int64_t,
                          uint32_t, uint64_t);

}  // namespace
}  // namespace tensorwright
