// SPDX-License-Identifier: Apache-2.0
// ExtractJpegShape: the size of an image from the header of its file.

#include <cstdint>
#include <string>

#include "core/framework/op_kernel.h"
#include "core/framework/tensor.h"
#include "core/lib/jpeg/jpeg_mem.h"

namespace tensorwright {

template <typename T>
class ExtractJpegShapeOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* ctx) override {
    jpeg::Info info;
    OP_REQUIRES_OK(ctx,
                   jpeg::ReadInfo(*ctx->input(0).base<std::string>(), &info));
    Tensor* out = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, TensorShape({3}), &out));
    T* shape = out->base<T>();
    shape[0] = static_cast<T>(info.height);
    shape[1] = static_cast<T>(info.width);
    shape[2] = static_cast<T>(info.channels);
  }
};

REGISTER_KERNEL_FOR_TYPES(Name("ExtractJpegShape").Device(DEVICE_CPU),
                          "output_type", ExtractJpegShapeOp, int32, int64_t);

}  // namespace tensorwright
