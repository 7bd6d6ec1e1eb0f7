// SPDX-License-Identifier: Apache-2.0
// FixedLengthRecordReader: records of one length, between a header and a
// footer.

#include <cstdint>
#include <memory>
#include <string>

#include "absl/strings/str_cat.h"
#include "core/framework/op_kernel.h"
#include "core/framework/reader_base.h"
#include "core/framework/reader_op_kernel.h"
#include "core/lib/core/errors.h"
#include "core/lib/io/buffered_inputstream.h"
#include "core/lib/io/compression.h"
#include "core/lib/io/open_stream.h"
#include "core/platform/env.h"

namespace tensorwright {
namespace {

struct RecordLayout {
  int64_t header = 0;
  int64_t record = 0;
  int64_t footer = 0;
  int64_t hop = 0;  // The distance between the beginnings of two records.
  std::string encoding;
};

class FixedLengthRecordReader final : public ReaderBase {
 public:
  FixedLengthRecordReader(const std::string& node_name,
                          const RecordLayout& layout, Env* env)
      : ReaderBase(absl::StrCat("FixedLengthRecordReader '", node_name, "'")),
        layout_(layout),
        env_(env) {}

  Status OnWorkStartedLocked() override {
    constexpr size_t kBuffer = 256 << 10;
    record_number_ = 0;
    window_.clear();
    std::unique_ptr<io::InputStreamInterface> source;
    TF_RETURN_IF_ERROR(io::OpenStream(env_, current_work(), layout_.encoding,
                                      kBuffer, &source));
    bytes_ = std::make_unique<io::BufferedInputStream>(
        source.release(), kBuffer, /*owns_input_stream=*/true);
    return Skip(layout_.header);
  }

  Status OnWorkFinishedLocked() override {
    bytes_.reset();
    return OkStatus();
  }

  Status ReadLocked(tstring* key, tstring* value, bool* produced,
                    bool* at_end) override {
    if (record_number_ > 0) TF_RETURN_IF_ERROR(Hop());
    // A record counts only if at least as many bytes follow it as the footer
    // has.
    TF_RETURN_IF_ERROR(Fill(layout_.record + layout_.footer));
    if (static_cast<int64_t>(window_.size()) <
        layout_.record + layout_.footer) {
      *at_end = true;
      return OkStatus();
    }
    if (layout_.footer == 0 && layout_.hop == layout_.record) {
      // The bytes of the record are not read again, and may be many.
      value->swap(window_);
      window_.clear();
    } else {
      value->assign(window_.data(), static_cast<size_t>(layout_.record));
    }
    *key = KeyName(current_work(), record_number_++);
    *produced = true;
    return OkStatus();
  }

  Status ResetLocked() override {
    TF_RETURN_IF_ERROR(OnWorkFinishedLocked());
    return ReaderBase::ResetLocked();
  }

 private:
  // The end of the file is no error: nothing is read past it.
  static Status Unless(const Status& read) {
    return errors::IsOutOfRange(read) ? OkStatus() : read;
  }
  Status Skip(int64_t n) { return Unless(bytes_->SkipNBytes(n)); }

  Status Hop() {
    if (layout_.footer == 0 && layout_.hop == layout_.record) return OkStatus();
    const int64_t have = static_cast<int64_t>(window_.size());
    if (layout_.hop < have) {
      window_.erase(0, static_cast<size_t>(layout_.hop));
      return OkStatus();
    }
    window_.clear();
    return Skip(layout_.hop - have);
  }

  Status Fill(int64_t n) {
    tstring more;
    TF_RETURN_IF_ERROR(Unless(
        bytes_->ReadNBytes(n - static_cast<int64_t>(window_.size()), &more)));
    if (window_.empty()) {
      window_.swap(more);
    } else {
      window_ += more;
    }
    return OkStatus();
  }

  const RecordLayout layout_;
  Env* const env_;
  int64_t record_number_ = 0;
  std::unique_ptr<io::BufferedInputStream> bytes_;
  std::string window_;  // The bytes read from the beginning of the record on.
};

class FixedLengthRecordReaderOp final : public ReaderOpKernel {
 public:
  explicit FixedLengthRecordReaderOp(OpKernelConstruction* ctx)
      : ReaderOpKernel(ctx) {
    RecordLayout layout;
    Read(ctx, "header_bytes", 0, &layout.header);
    Read(ctx, "record_bytes", 1, &layout.record);
    Read(ctx, "footer_bytes", 0, &layout.footer);
    Read(ctx, "hop_bytes", 0, &layout.hop);
    if (!ctx->status().ok()) return;
    if (layout.hop == 0) layout.hop = layout.record;
    if (HasNodeAttr(def(), "encoding")) {
      OP_REQUIRES_OK(ctx, ctx->GetAttr("encoding", &layout.encoding));
      OP_REQUIRES_OK(ctx, io::CheckCompression(type_string(), "encoding",
                                               layout.encoding));
    }
    Env* const env = ctx->env();
    SetReaderFactory([this, layout, env] {
      return new FixedLengthRecordReader(name(), layout, env);
    });
  }

 private:
  void Read(OpKernelConstruction* ctx, const char* attr, int64_t least,
            int64_t* bytes) {
    // So that sums do not overflow.
    constexpr int64_t kMost = int64_t{1} << 60;
    OP_REQUIRES_OK(ctx, ctx->GetAttr(attr, bytes));
    OP_REQUIRES(
        ctx, *bytes >= least && *bytes <= kMost,
        errors::InvalidArgument(type_string(), ": ", attr,
                                " must be >= ", least, ", got ", *bytes));
  }
};
REGISTER_KERNEL_BUILDER(Name("FixedLengthRecordReader").Device(DEVICE_CPU),
                        FixedLengthRecordReaderOp);
REGISTER_KERNEL_BUILDER(Name("FixedLengthRecordReaderV2").Device(DEVICE_CPU),
                        FixedLengthRecordReaderOp);

}  // namespace
}  // namespace tensorwright
