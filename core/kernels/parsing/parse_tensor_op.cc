// SPDX-License-Identifier: Apache-2.0
// ParseTensor and SerializeTensor: they convert tensors from and to serialized
// TensorProtos.

#include <string>
#include <utility>

#include "core/framework/op_kernel.h"
#include "core/framework/tensor.h"
#include "core/framework/tensor.pb.h"
#include "core/lib/core/errors.h"

namespace tensorwright {
namespace {

class ParseTensorOp final : public OpKernel {
 public:
  explicit ParseTensorOp(OpKernelConstruction* ctx) : OpKernel(ctx) {
    OP_REQUIRES_OK(ctx, ctx->GetAttr("out_type", &dtype_));
  }

  void Compute(OpKernelContext* ctx) override {
    const std::string& serialized = ctx->input(0).scalar_value<std::string>();
    TensorProto proto;
    OP_REQUIRES(
        ctx, proto.ParseFromString(serialized),
        errors::InvalidArgument(
            "ParseTensor: Could not parse `serialized` as TensorProto: '",
            serialized.substr(0, 200), "'"));
    OP_REQUIRES(ctx, proto.dtype() == dtype_,
                errors::InvalidArgument(
                    "ParseTensor: Type mismatch between parsed tensor (",
                    DataTypeString(proto.dtype()), ") and dtype (",
                    DataTypeString(dtype_), ")"));
    Tensor output;
    OP_REQUIRES(
        ctx, output.FromProto(proto),
        errors::InvalidArgument(
            "ParseTensor: `serialized` is a TensorProto, but no tensor: "
            "its values do not fit its shape"));
    ctx->set_output(0, std::move(output));
  }

 private:
  DataType dtype_;
};
REGISTER_KERNEL_BUILDER(Name("ParseTensor").Device(DEVICE_CPU), ParseTensorOp);

class SerializeTensorOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* ctx) override {
    const Tensor& tensor = ctx->input(0);
    TensorProto proto;
    if (tensor.dtype() == DT_STRING) {
      tensor.AsProtoField(&proto);
    } else {
      tensor.AsProtoTensorContent(&proto);
    }
    Tensor* output = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, TensorShape(), &output));
    OP_REQUIRES(
        ctx, proto.SerializeToString(&output->scalar_value<std::string>()),
        errors::InvalidArgument("SerializeTensor: ", tensor.TotalBytes(),
                                " bytes are more than a TensorProto may have"));
  }
};
REGISTER_KERNEL_BUILDER(Name("SerializeTensor").Device(DEVICE_CPU),
                        SerializeTensorOp);

}  // namespace
}  // namespace tensorwright
