// SPDX-License-Identifier: Apache-2.0
// Example protos read and written by hand, files that know their name and
// length, messages in the strings of tensors.
#include <memory>
#include <string>

#include "tensorflow/core/example/example.pb.h"
#include "tensorflow/core/example/feature.pb.h"
#include "tensorflow/core/framework/op.h"
#include "tensorflow/core/framework/op_kernel.h"
#include "tensorflow/core/framework/shape_inference.h"
#include "tensorflow/core/lib/core/stringpiece.h"
#include "tensorflow/core/platform/env.h"
#include "tensorflow/core/platform/file_system.h"
#include "tensorflow/core/platform/protobuf.h"
#include "tensorflow/core/platform/tstring.h"

namespace tensorflow {

REGISTER_OP("CorpusExamples")
    .Input("serialized: string")
    .Attr("key: string")
    .Attr("log: string")
    .Output("sums: float")
    .Output("doubled: string")
    .Output("log_name: string")
    .Output("log_bytes: int64")
    .SetShapeFn([](shape_inference::InferenceContext* c) {
      c->set_output(0, c->input(0));
      c->set_output(1, c->input(0));
      c->set_output(2, c->Scalar());
      c->set_output(3, c->Scalar());
      return Status::OK();
    });

class CorpusExamplesOp : public OpKernel {
 public:
  explicit CorpusExamplesOp(OpKernelConstruction* ctx) : OpKernel(ctx) {
    OP_REQUIRES_OK(ctx, ctx->GetAttr("key", &key_));
    OP_REQUIRES_OK(ctx, ctx->GetAttr("log", &log_));
  }

  void Compute(OpKernelContext* ctx) override {
    const Tensor& in = ctx->input(0);
    Tensor *sums, *doubled, *name, *bytes;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, in.shape(), &sums));
    OP_REQUIRES_OK(ctx, ctx->allocate_output(1, in.shape(), &doubled));
    OP_REQUIRES_OK(ctx, ctx->allocate_output(2, TensorShape({}), &name));
    OP_REQUIRES_OK(ctx, ctx->allocate_output(3, TensorShape({}), &bytes));
    std::unique_ptr<WritableFile> log;
    OP_REQUIRES_OK(ctx, ctx->env()->NewWritableFile(log_, &log));
    auto x = in.flat<tstring>();
    for (int64 i = 0; i < x.size(); ++i) {
      Example example;
      OP_REQUIRES(ctx, ParseFromTString(x(i), &example),
                  errors::DataLoss("record ", i, " is no Example"));
      auto& features = *example.mutable_features()->mutable_feature();
      auto it = features.find(key_);
      OP_REQUIRES(ctx, it != features.end(),
                  errors::NotFound("record ", i, " has no feature ", key_));
      sums->flat<float>()(i) = Sum(it->second);
      if (it->second.kind_case() == Feature::kFloatList) {
        for (float& v : *it->second.mutable_float_list()->mutable_value()) {
          v *= 2;
        }
      }
      OP_REQUIRES(ctx,
                  SerializeToTString(example, &doubled->flat<tstring>()(i)),
                  errors::Internal("cannot serialize"));
      OP_REQUIRES_OK(ctx, log->Append(strings::StrCat(i, "\n")));
    }
    int64 position;
    OP_REQUIRES_OK(ctx, log->Tell(&position));
    bytes->scalar<int64>()() = position;
    OP_REQUIRES_OK(ctx, log->Close());
    std::unique_ptr<RandomAccessFile> again;
    OP_REQUIRES_OK(ctx, ctx->env()->NewRandomAccessFile(log_, &again));
    StringPiece file_name;
    OP_REQUIRES_OK(ctx, again->Name(&file_name));
    name->scalar<tstring>()() = file_name.ToString();
  }

 private:
  static float Sum(const Feature& feature) {
    float sum = 0;
    switch (feature.kind_case()) {
      case Feature::kFloatList:
        for (float v : feature.float_list().value()) sum += v;
        break;
      case Feature::kInt64List:
        for (int64 v : feature.int64_list().value()) sum += v;
        break;
      case Feature::kBytesList:
        for (const string& v : feature.bytes_list().value()) sum += v.size();
        break;
      case Feature::KIND_NOT_SET:
        break;
    }
    return sum;
  }

  string key_, log_;
};
REGISTER_KERNEL_BUILDER(Name("CorpusExamples").Device(DEVICE_CPU),
                        CorpusExamplesOp);

}  // namespace tensorflow
