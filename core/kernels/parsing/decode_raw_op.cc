// SPDX-License-Identifier: Apache-2.0
// DecodeRaw: reads the bytes of strings of one length as numbers.

#include <cstring>
#include <string>

#include "core/framework/op_kernel.h"
#include "core/framework/tensor.h"
#include "core/kernels/parsing/raw_bytes.h"
#include "core/lib/core/errors.h"
#include "core/util/work_sharder.h"

namespace tensorwright {
namespace {

class DecodeRawOp final : public OpKernel {
 public:
  explicit DecodeRawOp(OpKernelConstruction* ctx) : OpKernel(ctx) {
    OP_REQUIRES_OK(ctx, ctx->GetAttr("out_type", &dtype_));
    OP_REQUIRES_OK(ctx, ctx->GetAttr("little_endian", &little_endian_));
  }

  void Compute(OpKernelContext* ctx) override {
    const Tensor& input = ctx->input(0);
    const auto strings = Flat<std::string>(input);
    const size_t length = strings.empty() ? 0 : strings[0].size();
    for (size_t i = 1; i < strings.size(); ++i) {
      OP_REQUIRES(ctx, strings[i].size() == length,
                  errors::InvalidArgument(
                      "DecodeRaw requires input strings to all be the same "
                      "size, but element ",
                      i, " has size ", strings[i].size(), " != ", length));
    }
    const size_t size = static_cast<size_t>(DataTypeSize(dtype_));
    OP_REQUIRES(
        ctx, length % size == 0,
        errors::InvalidArgument("Input to DecodeRaw has length ", length,
                                " that is not a multiple of ", size,
                                ", the size of ", DataTypeString(dtype_)));
    TensorShape shape = input.shape();
    OP_REQUIRES_OK(ctx,
                   shape.AddDimWithStatus(static_cast<int64_t>(length / size)));
    Tensor* output = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, shape, &output));
    if (length == 0) return;
    char* const out = static_cast<char*>(output->data());
    ParallelFor(ctx, input.NumElements(), static_cast<int64_t>(length / 4 + 20),
                [&](int64_t begin, int64_t end) {
                  for (int64_t i = begin; i < end; ++i) {
                    char* const to = out + static_cast<size_t>(i) * length;
                    std::memcpy(to, strings[i].data(), length);
                    ToThisMachine(dtype_, little_endian_, to, length);
                  }
                });
  }

 private:
  DataType dtype_;
  bool little_endian_;
};
REGISTER_KERNEL_BUILDER(Name("DecodeRaw").Device(DEVICE_CPU), DecodeRawOp);

}  // namespace
}  // namespace tensorwright
