// SPDX-License-Identifier: Apache-2.0
// The part that the datasets that read files share.
#include "core/kernels/dataset/file_dataset.h"

#include <algorithm>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "core/lib/core/errors.h"

namespace tensorwright {
namespace {

constexpr int64_t kBufferSize = 256 << 10;
constexpr int64_t kMaxBufferSize = 1 << 30;

class FileDataset final : public DatasetBase {
 public:
  FileDataset(const char* name, std::vector<std::string> files, OpenFileFn open)
      : DatasetBase({DT_STRING}, {PartialTensorShape({})}),
        name_(name),
        files_(std::move(files)),
        open_(std::move(open)) {}

  std::string Name() const override { return name_; }

  StatusOr<std::unique_ptr<IteratorBase>> MakeIterator(
      IteratorContext*) const override {
    return std::unique_ptr<IteratorBase>(new Iterator(this));
  }

 private:
  class Iterator final : public DatasetIterator<FileDataset> {
   public:
    using DatasetIterator::DatasetIterator;

    StatusOr<bool> GetNext(IteratorContext* ctx, Element* out) override {
      for (;;) {
        if (file_ == nullptr) {
          if (next_ >= dataset().files_.size()) return false;
          // A file that cannot be opened or read is left behind.
          auto opened = dataset().open_(ctx->env, dataset().files_[next_++]);
          if (!opened.ok()) return Failed(opened.status());
          file_ = *std::move(opened);
        }
        std::string record;
        const StatusOr<bool> more = file_->Next(&record);
        if (!more.ok()) {
          file_ = nullptr;
          return Failed(more.status());
        }
        if (*more) {
          out->clear();
          out->push_back(Tensor(std::move(record)));
          return true;
        }
        file_ = nullptr;
      }
    }

   private:
    // Adds the file, unless the message names it, and the dataset.
    Status Failed(const Status& status) const {
      const std::string& file = dataset().files_[next_ - 1];
      if (absl::StrContains(status.message(), file)) {
        return dataset().AtOrigin(status);
      }
      return dataset().AtOrigin(errors::WithMessage(
          status, absl::StrCat(file, ": ", status.message())));
    }

    size_t next_ = 0;
    std::unique_ptr<FileRecords> file_;
  };

  const char* const name_;
  const std::vector<std::string> files_;
  const OpenFileFn open_;
};

}  // namespace

DatasetPtr NewFileDataset(const char* name, std::vector<std::string> files,
                          OpenFileFn open) {
  return DatasetPtr(new FileDataset(name, std::move(files), std::move(open)));
}

Status FileNames(OpKernelContext* ctx, std::vector<std::string>* names) {
  const Tensor* tensor = nullptr;
  TF_RETURN_IF_ERROR(ctx->input("filenames", &tensor));
  if (tensor->dims() > 1) {
    return errors::InvalidArgument(
        ctx->op_kernel().type_string(),
        ": `filenames` must be a scalar or a vector, got shape ",
        tensor->shape().DebugString());
  }
  for (int64_t i = 0; i < tensor->NumElements(); ++i) {
    names->push_back(tensor->base<std::string>()[i]);
  }
  return OkStatus();
}

Status BufferSize(OpKernelContext* ctx, int64_t* size) {
  TF_RETURN_IF_ERROR(ScalarArgument(ctx, "buffer_size", size));
  if (*size < 0) {
    return errors::InvalidArgument(
        ctx->op_kernel().type_string(),
        ": `buffer_size` must be >= 0 (0 == default), got ", *size);
  }
  *size = *size == 0 ? kBufferSize : std::min(*size, kMaxBufferSize);
  return OkStatus();
}

}  // namespace tensorwright
