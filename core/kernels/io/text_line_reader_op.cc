// SPDX-License-Identifier: Apache-2.0
// TextLineReader: the lines of files.

#include <cstdint>
#include <memory>
#include <string>

#include "absl/strings/str_cat.h"
#include "core/framework/op_kernel.h"
#include "core/framework/reader_base.h"
#include "core/framework/reader_op_kernel.h"
#include "core/lib/core/errors.h"
#include "core/lib/io/buffered_inputstream.h"
#include "core/platform/env.h"

namespace tensorwright {
namespace {

class TextLineReader final : public ReaderBase {
 public:
  TextLineReader(const std::string& node_name, int64_t skip_header_lines,
                 Env* env)
      : ReaderBase(absl::StrCat("TextLineReader '", node_name, "'")),
        skip_header_lines_(skip_header_lines),
        env_(env) {}

  Status OnWorkStartedLocked() override {
    constexpr size_t kBuffer = 256 << 10;
    line_number_ = 0;
    TF_RETURN_IF_ERROR(env_->NewRandomAccessFile(current_work(), &file_));
    lines_ = std::make_unique<io::BufferedInputStream>(file_.get(), kBuffer);
    while (line_number_ < skip_header_lines_) {
      const Status skipped = lines_->SkipLine();
      // A file may be shorter than its header.
      if (errors::IsOutOfRange(skipped)) return OkStatus();
      TF_RETURN_IF_ERROR(skipped);
      ++line_number_;
    }
    return OkStatus();
  }

  Status OnWorkFinishedLocked() override {
    lines_.reset();
    file_.reset();
    return OkStatus();
  }

  Status ReadLocked(tstring* key, tstring* value, bool* produced,
                    bool* at_end) override {
    const Status read = lines_->ReadLine(value);
    if (errors::IsOutOfRange(read)) {
      *at_end = true;
      return OkStatus();
    }
    TF_RETURN_IF_ERROR(read);
    *key = KeyName(current_work(), ++line_number_);
    *produced = true;
    return OkStatus();
  }

  Status ResetLocked() override {
    TF_RETURN_IF_ERROR(OnWorkFinishedLocked());
    return ReaderBase::ResetLocked();
  }

 private:
  const int64_t skip_header_lines_;
  Env* const env_;
  int64_t line_number_ = 0;
  std::unique_ptr<RandomAccessFile> file_;
  std::unique_ptr<io::BufferedInputStream> lines_;
};

class TextLineReaderOp final : public ReaderOpKernel {
 public:
  explicit TextLineReaderOp(OpKernelConstruction* ctx) : ReaderOpKernel(ctx) {
    int64_t skip = 0;
    OP_REQUIRES_OK(ctx, ctx->GetAttr("skip_header_lines", &skip));
    OP_REQUIRES(
        ctx, skip >= 0,
        errors::InvalidArgument(
            type_string(), ": skip_header_lines must be >= 0, got ", skip));
    Env* const env = ctx->env();
    SetReaderFactory(
        [this, skip, env] { return new TextLineReader(name(), skip, env); });
  }
};
REGISTER_KERNEL_BUILDER(Name("TextLineReader").Device(DEVICE_CPU),
                        TextLineReaderOp);
REGISTER_KERNEL_BUILDER(Name("TextLineReaderV2").Device(DEVICE_CPU),
                        TextLineReaderOp);

}  // namespace
}  // namespace tensorwright
