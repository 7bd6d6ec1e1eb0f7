// SPDX-License-Identifier: Apache-2.0
// StringLength: counts bytes or characters.

#include <cstdint>
#include <limits>
#include <string>

#include "core/framework/op_kernel.h"
#include "core/framework/tensor.h"
#include "core/kernels/string/unary_strings.h"
#include "core/lib/core/errors.h"
#include "core/util/work_sharder.h"

namespace tensorwright {
namespace {

class StringLengthOp final : public OpKernel {
 public:
  explicit StringLengthOp(OpKernelConstruction* ctx) : OpKernel(ctx) {
    OP_REQUIRES_OK(ctx, StringUnitOf(ctx, &unit_));
  }

  void Compute(OpKernelContext* ctx) override {
    const Tensor& input = ctx->input(0);
    Tensor* output = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, input.shape(), &output));
    const auto strings = Flat<std::string>(input);
    const auto lengths = Flat<int32_t>(output);
    const int64_t cycles = unit_ == StringUnit::kByte ? 4 : 200;
    ParallelFor(
        ctx, input.NumElements(), cycles, [&](int64_t begin, int64_t end) {
          for (int64_t i = begin; i < end; ++i) {
            const size_t n = unit_ == StringUnit::kByte
                                 ? strings[i].size()
                                 : Utf8Length(strings[i]);
            if (n > static_cast<size_t>(std::numeric_limits<int32_t>::max())) {
              return ctx->SetStatus(errors::InvalidArgument(
                  "StringLength: a string of ", n, " is too long for int32"));
            }
            lengths[i] = static_cast<int32_t>(n);
          }
        });
  }

 private:
  StringUnit unit_;
};
REGISTER_KERNEL_BUILDER(Name("StringLength").Device(DEVICE_CPU),
                        StringLengthOp);

}  // namespace
}  // namespace tensorwright
