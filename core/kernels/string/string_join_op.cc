// SPDX-License-Identifier: Apache-2.0
// StringJoin: joins strings element by element.

#include <string>
#include <vector>

#include "core/framework/op_kernel.h"
#include "core/framework/tensor.h"
#include "core/util/work_sharder.h"

namespace tensorwright {
namespace {

class StringJoinOp final : public OpKernel {
 public:
  explicit StringJoinOp(OpKernelConstruction* ctx) : OpKernel(ctx) {
    OP_REQUIRES_OK(ctx, ctx->GetAttr("separator", &separator_));
  }

  void Compute(OpKernelContext* ctx) override {
    TensorShape shape;
    std::vector<absl::Span<const std::string>> inputs;
    for (int i = 0; i < ctx->num_inputs(); ++i) {
      if (ctx->input(i).dims() > 0) shape = ctx->input(i).shape();
      inputs.push_back(Flat<std::string>(ctx->input(i)));
    }
    Tensor* out = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, shape, &out));
    const auto joined = Flat<std::string>(out);
    // Each output costs an allocation and some copies.
    const int64_t cycles = 100 * static_cast<int64_t>(inputs.size());
    ParallelFor(ctx, shape.num_elements(), cycles,
                [&](int64_t begin, int64_t end) {
                  for (int64_t i = begin; i < end; ++i) {
                    joined[i] = Join(ctx, inputs, i);
                  }
                });
  }

 private:
  std::string Join(OpKernelContext* ctx,
                   absl::Span<const absl::Span<const std::string>> inputs,
                   int64_t i) const {
    size_t length = separator_.size() * (inputs.size() - 1);
    const auto part = [&](size_t k) -> const std::string& {
      const bool scalar = ctx->input(static_cast<int>(k)).dims() == 0;
      return inputs[k][scalar ? 0 : i];
    };
    for (size_t k = 0; k < inputs.size(); ++k) length += part(k).size();
    std::string joined;
    joined.reserve(length);
    for (size_t k = 0; k < inputs.size(); ++k) {
      if (k > 0) joined += separator_;
      joined += part(k);
    }
    return joined;
  }

  std::string separator_;
};
REGISTER_KERNEL_BUILDER(Name("StringJoin").Device(DEVICE_CPU), StringJoinOp);

}  // namespace
}  // namespace tensorwright
