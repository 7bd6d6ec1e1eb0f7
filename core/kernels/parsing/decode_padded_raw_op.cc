// SPDX-License-Identifier: Apache-2.0
// DecodePaddedRaw: reads the bytes of strings as numbers, as many from each
// string.

#include <algorithm>
#include <cstring>
#include <string>

#include "core/framework/op_kernel.h"
#include "core/framework/tensor.h"
#include "core/kernels/parsing/raw_bytes.h"
#include "core/lib/core/errors.h"
#include "core/util/work_sharder.h"

namespace tensorwright {
namespace {

class DecodePaddedRawOp final : public OpKernel {
 public:
  explicit DecodePaddedRawOp(OpKernelConstruction* ctx) : OpKernel(ctx) {
    OP_REQUIRES_OK(ctx, ctx->GetAttr("out_type", &dtype_));
    OP_REQUIRES_OK(ctx, ctx->GetAttr("little_endian", &little_endian_));
  }

  void Compute(OpKernelContext* ctx) override {
    const Tensor& input = ctx->input(0);
    const int32_t fixed = ctx->input(1).scalar_value<int32_t>();
    const int32_t size = DataTypeSize(dtype_);
    OP_REQUIRES(ctx, fixed > 0,
                errors::InvalidArgument(
                    "DecodePaddedRaw: fixed_length must be greater than zero, "
                    "got ",
                    fixed));
    OP_REQUIRES(
        ctx, fixed % size == 0,
        errors::InvalidArgument("DecodePaddedRaw: fixed_length (", fixed,
                                ") must be a multiple of the size of ",
                                DataTypeString(dtype_), " (", size, ")"));
    TensorShape shape = input.shape();
    OP_REQUIRES_OK(ctx, shape.AddDimWithStatus(fixed / size));
    Tensor* output = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, shape, &output));
    const auto strings = Flat<std::string>(input);
    char* const out = static_cast<char*>(output->data());
    const size_t length = static_cast<size_t>(fixed);
    ParallelFor(ctx, input.NumElements(), fixed / 4 + 20,
                [&](int64_t begin, int64_t end) {
                  for (int64_t i = begin; i < end; ++i) {
                    char* const to = out + static_cast<size_t>(i) * length;
                    const size_t n = std::min(length, strings[i].size());
                    std::memcpy(to, strings[i].data(), n);
                    std::memset(to + n, 0, length - n);
                    ToThisMachine(dtype_, little_endian_, to, length);
                  }
                });
  }

 private:
  DataType dtype_;
  bool little_endian_;
};
REGISTER_KERNEL_BUILDER(Name("DecodePaddedRaw").Device(DEVICE_CPU),
                        DecodePaddedRawOp);

}  // namespace
}  // namespace tensorwright
