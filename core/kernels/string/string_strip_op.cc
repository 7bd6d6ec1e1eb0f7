// SPDX-License-Identifier: Apache-2.0
// StringStrip: removes white space at both ends.

#include <string>

#include "absl/strings/ascii.h"
#include "core/framework/op_kernel.h"
#include "core/kernels/string/unary_strings.h"

namespace tensorwright {
namespace {

class StringStripOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* ctx) override {
    constexpr int64_t kCycles = 100;
    ChangeStrings(ctx, kCycles,
                  [](std::string* s) { absl::StripAsciiWhitespace(s); });
  }
};
REGISTER_KERNEL_BUILDER(Name("StringStrip").Device(DEVICE_CPU), StringStripOp);

}  // namespace
}  // namespace tensorwright
