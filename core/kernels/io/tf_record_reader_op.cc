// SPDX-License-Identifier: Apache-2.0
// TFRecordReader: the records of files of records.

#include <cstdint>
#include <memory>
#include <string>

#include "absl/strings/str_cat.h"
#include "core/framework/op_kernel.h"
#include "core/framework/reader_base.h"
#include "core/framework/reader_op_kernel.h"
#include "core/lib/core/errors.h"
#include "core/lib/io/compression.h"
#include "core/lib/io/record_reader.h"
#include "core/platform/env.h"

namespace tensorwright {
namespace {

class TFRecordReader final : public ReaderBase {
 public:
  TFRecordReader(const std::string& node_name,
                 const std::string& compression_type, Env* env)
      : ReaderBase(absl::StrCat("TFRecordReader '", node_name, "'")),
        compression_type_(compression_type),
        env_(env) {}

  Status OnWorkStartedLocked() override {
    offset_ = 0;
    TF_RETURN_IF_ERROR(env_->NewRandomAccessFile(current_work(), &file_));
    reader_ = std::make_unique<io::RecordReader>(
        file_.get(),
        io::RecordReaderOptions::CreateRecordReaderOptions(compression_type_));
    return OkStatus();
  }

  Status OnWorkFinishedLocked() override {
    reader_.reset();
    file_.reset();
    return OkStatus();
  }

  Status ReadLocked(tstring* key, tstring* value, bool* produced,
                    bool* at_end) override {
    const int64_t begin = static_cast<int64_t>(offset_);
    const Status read = reader_->ReadRecord(&offset_, value);
    if (errors::IsOutOfRange(read)) {
      *at_end = true;
      return OkStatus();
    }
    TF_RETURN_IF_ERROR(read);
    *key = KeyName(current_work(), begin);
    *produced = true;
    return OkStatus();
  }

  Status ReadUpToLocked(int64_t num_records, std::vector<tstring>* keys,
                        std::vector<tstring>* values, int64_t* num_read,
                        bool* at_end) override {
    for (*num_read = 0; *num_read < num_records; ++*num_read) {
      tstring key, value;
      bool produced = false;
      TF_RETURN_IF_ERROR(ReadLocked(&key, &value, &produced, at_end));
      if (!produced) return OkStatus();
      keys->push_back(std::move(key));
      values->push_back(std::move(value));
    }
    return OkStatus();
  }

  Status ResetLocked() override {
    TF_RETURN_IF_ERROR(OnWorkFinishedLocked());
    return ReaderBase::ResetLocked();
  }

 private:
  const std::string compression_type_;
  Env* const env_;
  uint64_t offset_ = 0;
  std::unique_ptr<RandomAccessFile> file_;
  std::unique_ptr<io::RecordReader> reader_;
};

class TFRecordReaderOp final : public ReaderOpKernel {
 public:
  explicit TFRecordReaderOp(OpKernelConstruction* ctx) : ReaderOpKernel(ctx) {
    std::string compression;
    OP_REQUIRES_OK(ctx, ctx->GetAttr("compression_type", &compression));
    OP_REQUIRES_OK(ctx, io::CheckCompression(type_string(), "compression_type",
                                             compression));
    Env* const env = ctx->env();
    SetReaderFactory([this, compression, env] {
      return new TFRecordReader(name(), compression, env);
    });
  }
};
REGISTER_KERNEL_BUILDER(Name("TFRecordReader").Device(DEVICE_CPU),
                        TFRecordReaderOp);
REGISTER_KERNEL_BUILDER(Name("TFRecordReaderV2").Device(DEVICE_CPU),
                        TFRecordReaderOp);

}  // namespace
}  // namespace tensorwright
