// SPDX-License-Identifier: Apache-2.0
// WholeFileReader: files as records.

#include <string>

#include "absl/strings/str_cat.h"
#include "core/framework/op_kernel.h"
#include "core/framework/reader_base.h"
#include "core/framework/reader_op_kernel.h"
#include "core/platform/env.h"

namespace tensorwright {
namespace {

class WholeFileReader final : public ReaderBase {
 public:
  WholeFileReader(const std::string& node_name, Env* env)
      : ReaderBase(absl::StrCat("WholeFileReader '", node_name, "'")),
        env_(env) {}

  Status ReadLocked(tstring* key, tstring* value, bool* produced,
                    bool* at_end) override {
    *key = current_work();
    TF_RETURN_IF_ERROR(ReadFileToString(env_, current_work(), value));
    *produced = true;
    *at_end = true;
    return OkStatus();
  }

 private:
  Env* const env_;
};

class WholeFileReaderOp final : public ReaderOpKernel {
 public:
  explicit WholeFileReaderOp(OpKernelConstruction* ctx) : ReaderOpKernel(ctx) {
    Env* const env = ctx->env();
    SetReaderFactory([this, env] { return new WholeFileReader(name(), env); });
  }
};
REGISTER_KERNEL_BUILDER(Name("WholeFileReader").Device(DEVICE_CPU),
                        WholeFileReaderOp);
REGISTER_KERNEL_BUILDER(Name("WholeFileReaderV2").Device(DEVICE_CPU),
                        WholeFileReaderOp);

}  // namespace
}  // namespace tensorwright
