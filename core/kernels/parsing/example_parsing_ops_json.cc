// SPDX-License-Identifier: Apache-2.0
// DecodeJSONExample: converts Examples in proto3's JSON to serialized ones.

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>
#include <google/protobuf/util/json_util.h>

#include <cstdint>
#include <string>

#include "core/example/example.pb.h"
#include "core/framework/op_kernel.h"
#include "core/framework/tensor.h"
#include "core/lib/core/errors.h"
#include "core/util/work_sharder.h"

namespace tensorwright {
namespace {

Status Decode(const std::string& json, int64_t index, std::string* binary) {
  Example example;
  const auto parsed =
      google::protobuf::util::JsonStringToMessage(json, &example);
  if (!parsed.ok()) {
    return errors::InvalidArgument(
        "Error while parsing JSON: ", std::string(parsed.message()),
        ", example ", index);
  }
  binary->clear();
  // Features are written in the order of their names, so that equal examples
  // have equal bytes.
  google::protobuf::io::StringOutputStream stream(binary);
  google::protobuf::io::CodedOutputStream coded(&stream);
  coded.SetSerializationDeterministic(true);
  if (!example.SerializeToCodedStream(&coded)) {
    return errors::InvalidArgument("DecodeJSONExample: example ", index,
                                   " is too large");
  }
  return OkStatus();
}

class DecodeJSONExampleOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* ctx) override {
    const Tensor& input = ctx->input(0);
    Tensor* output = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, input.shape(), &output));
    const auto in = Flat<std::string>(input);
    const auto out = Flat<std::string>(output);
    constexpr int64_t kCycles = 20000;
    ParallelFor(ctx, input.NumElements(), kCycles,
                [&](int64_t begin, int64_t end) {
                  for (int64_t i = begin; i < end; ++i) {
                    const Status decoded = Decode(in[i], i, &out[i]);
                    if (!decoded.ok()) return ctx->SetStatus(decoded);
                  }
                });
  }
};
REGISTER_KERNEL_BUILDER(Name("DecodeJSONExample").Device(DEVICE_CPU),
                        DecodeJSONExampleOp);

}  // namespace
}  // namespace tensorwright
