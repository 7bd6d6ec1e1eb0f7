// SPDX-License-Identifier: Apache-2.0
// MatchingFiles: the paths that patterns match.

#include <algorithm>
#include <string>
#include <vector>

#include "core/framework/op_kernel.h"
#include "core/framework/tensor.h"
#include "core/platform/env.h"

namespace tensorwright {
namespace {

class MatchingFilesOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* ctx) override {
    std::vector<std::string> all;
    for (const std::string& pattern : Flat<std::string>(ctx->input(0))) {
      std::vector<std::string> found;
      OP_REQUIRES_OK(ctx, ctx->env()->GetMatchingPaths(pattern, &found));
      all.insert(all.end(), found.begin(), found.end());
    }
    std::sort(all.begin(), all.end());
    Tensor* files = nullptr;
    OP_REQUIRES_OK(
        ctx, ctx->allocate_output(
                 0, TensorShape({static_cast<int64_t>(all.size())}), &files));
    std::move(all.begin(), all.end(), Flat<std::string>(files).begin());
  }
};
REGISTER_KERNEL_BUILDER(Name("MatchingFiles").Device(DEVICE_CPU),
                        MatchingFilesOp);

}  // namespace
}  // namespace tensorwright
