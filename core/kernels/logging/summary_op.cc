// SPDX-License-Identifier: Apache-2.0
// ScalarSummary, HistogramSummary and MergeSummary.

#include <string>

#include "absl/container/flat_hash_set.h"
#include "core/framework/op_kernel.h"
#include "core/framework/summary.pb.h"
#include "core/framework/tensor.h"
#include "core/util/summary_values.h"

namespace tensorwright {
namespace {

void SetSummary(OpKernelContext* ctx, const Summary& summary) {
  Tensor* out = nullptr;
  OP_REQUIRES_OK(ctx, ctx->allocate_output(0, TensorShape(), &out));
  OP_REQUIRES_OK(ctx, SerializeSummary(summary, out->base<std::string>()));
}

class ScalarSummaryOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* ctx) override {
    const Tensor& tags = ctx->input(0);
    const Tensor& values = ctx->input(1);
    OP_REQUIRES(
        ctx, tags.shape() == values.shape(),
        errors::InvalidArgument(
            "tags and values must have the same shape, got ",
            tags.shape().DebugString(), " and ", values.shape().DebugString(),
            tags.NumElements() == 1
                ? absl::StrCat(" for tag '", *tags.base<std::string>(), "'")
                : ""));
    Summary summary;
    const std::string* tag = tags.base<std::string>();
    for (int64_t i = 0; i < tags.NumElements(); ++i) {
      AddScalarSummary(values, i, tag[i], &summary);
    }
    SetSummary(ctx, summary);
  }
  bool IsExpensive() override { return false; }
};
REGISTER_KERNEL_BUILDER(Name("ScalarSummary").Device(DEVICE_CPU),
                        ScalarSummaryOp);

class HistogramSummaryOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* ctx) override {
    const Tensor& tag = ctx->input(0);
    OP_REQUIRES(ctx, tag.dims() == 0,
                errors::InvalidArgument("tag must be a scalar, got shape ",
                                        tag.shape().DebugString()));
    Summary summary;
    OP_REQUIRES_OK(
        ctx, AddHistogramSummary(ctx, ctx->input(1), *tag.base<std::string>(),
                                 name(), &summary));
    SetSummary(ctx, summary);
  }
};
REGISTER_KERNEL_BUILDER(Name("HistogramSummary").Device(DEVICE_CPU),
                        HistogramSummaryOp);

// A proto with repeated fields is the concatenation of its parts, so the parts
// are parsed only to check them, and not written anew.
class MergeSummaryOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* ctx) override {
    absl::flat_hash_set<std::string> tags;
    std::string merged;
    for (int i = 0; i < ctx->num_inputs(); ++i) {
      for (const std::string& part : Flat<std::string>(ctx->input(i))) {
        Summary summary;
        OP_REQUIRES(ctx, summary.ParseFromString(part),
                    errors::InvalidArgument("inputs[", i,
                                            "] must be serialized summaries, "
                                            "and one could not be parsed"));
        for (const Summary::Value& value : summary.value()) {
          if (value.tag().empty()) continue;
          const auto [tag, is_new] = tags.insert(value.tag());
          OP_REQUIRES(ctx, is_new,
                      errors::InvalidArgument("Duplicate tag ", *tag,
                                              " found in summary inputs"));
        }
        merged += part;
      }
    }
    Tensor* out = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, TensorShape(), &out));
    *out->base<std::string>() = std::move(merged);
  }
};
REGISTER_KERNEL_BUILDER(Name("MergeSummary").Device(DEVICE_CPU),
                        MergeSummaryOp);

}  // namespace
}  // namespace tensorwright
