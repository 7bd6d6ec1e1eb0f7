// SPDX-License-Identifier: Apache-2.0
// CacheDataset: keeps the elements of the first whole pass for later passes.
//
// A cache in files is `filename`.records, a TFRecord file of TensorProtos, a
// record each, written under another name until it is whole.

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "core/kernels/dataset/dataset_base.h"
#include "core/kernels/dataset/element_files.h"
#include "core/platform/env.h"
#include "core/platform/mutex.h"

namespace tensorwright {
namespace {

using Elements = std::shared_ptr<const std::vector<Element>>;

// Keeps the elements of a pass until it is complete; may be destroyed at any
// time.
class CacheWriter {
 public:
  virtual ~CacheWriter() = default;
  virtual Status Add(const Element& element) = 0;
  // Call it when the pass has ended.
  virtual Status Finish() = 0;
};

class CacheDataset final : public UnaryDataset {
 public:
  CacheDataset(DatasetPtr input, std::string filename)
      : UnaryDataset(std::move(input)), filename_(std::move(filename)) {}

  std::string Name() const override { return "Cache"; }
  int64_t Cardinality() const override { return input().Cardinality(); }

  StatusOr<std::unique_ptr<IteratorBase>> MakeIterator(
      IteratorContext* ctx) const override {
    if (filename_.empty()) {
      if (Elements kept = Kept()) {
        return std::unique_ptr<IteratorBase>(new Memory(this, std::move(kept)));
      }
    } else {
      const Status found = ctx->env->FileExists(FileName());
      if (errors::IsPermissionDenied(found)) return found;
      if (found.ok()) {
        auto made = std::make_unique<Reader>(this);
        TF_RETURN_IF_ERROR(made->Open(ctx->env, FileName()));
        return std::unique_ptr<IteratorBase>(std::move(made));
      }
    }
    TF_ASSIGN_OR_RETURN(auto from, input().MakeIterator(ctx));
    std::unique_ptr<CacheWriter> writer;
    if (filename_.empty()) {
      writer = std::make_unique<MemoryWriter>(this);
    } else {
      auto file = std::make_unique<FileWriter>(ctx->env, FileName());
      TF_RETURN_IF_ERROR(file->Open());
      writer = std::move(file);
    }
    return std::unique_ptr<IteratorBase>(
        new Filling(this, std::move(from), std::move(writer)));
  }

 private:
  std::string FileName() const { return absl::StrCat(filename_, ".records"); }

  Elements Kept() const {
    mutex_lock lock(mu_);
    return kept_;
  }

  // A pass over elements kept in memory.
  class Memory final : public DatasetIterator<CacheDataset> {
   public:
    Memory(const CacheDataset* d, Elements elements)
        : DatasetIterator(d), elements_(std::move(elements)) {}

    StatusOr<bool> GetNext(IteratorContext*, Element* out) override {
      if (next_ == elements_->size()) return false;
      *out = (*elements_)[next_++];
      return true;
    }

   private:
    const Elements elements_;
    size_t next_ = 0;
  };

  // A pass over a file.
  class Reader final : public DatasetIterator<CacheDataset> {
   public:
    using DatasetIterator::DatasetIterator;

    Status Open(Env* env, const std::string& name) {
      TF_ASSIGN_OR_RETURN(
          reader_,
          ElementReader::Open(env, name, "", dataset().output_dtypes()));
      return OkStatus();
    }

    StatusOr<bool> GetNext(IteratorContext*, Element* out) override {
      const StatusOr<bool> more = reader_->Next(out);
      if (more.ok()) return more;
      return errors::WithMessage(
          more.status(),
          absl::StrCat("CacheDataset: ", more.status().message()));
    }

   private:
    std::unique_ptr<ElementReader> reader_;
  };

  class MemoryWriter final : public CacheWriter {
   public:
    explicit MemoryWriter(const CacheDataset* dataset) : dataset_(dataset) {}
    Status Add(const Element& element) override {
      elements_.push_back(element);
      return OkStatus();
    }
    Status Finish() override {
      mutex_lock lock(dataset_->mu_);
      if (dataset_->kept_ == nullptr) {
        dataset_->kept_ =
            std::make_shared<const std::vector<Element>>(std::move(elements_));
      }
      return OkStatus();
    }

   private:
    const CacheDataset* const dataset_;  // The iterator keeps it.
    std::vector<Element> elements_;
  };

  class FileWriter final : public CacheWriter {
   public:
    FileWriter(Env* env, std::string name)
        : env_(env),
          name_(std::move(name)),
          partial_(absl::StrCat(name_, ".partial")) {}
    ~FileWriter() override {
      if (writer_ == nullptr) return;
      writer_ = nullptr;
      env_->DeleteFile(partial_).IgnoreError();
    }

    Status Open() {
      // Two passes that filled one cache would destroy each other's.
      if (env_->FileExists(partial_).ok()) {
        return errors::AlreadyExists(
            "CacheDataset: There appears to be a concurrent caching iterator "
            "running - cache file already exists ('",
            partial_,
            "'). If you are sure no other running computations are using this "
            "cache prefix, delete it and re-initialize the iterator.");
      }
      TF_ASSIGN_OR_RETURN(writer_, ElementWriter::Open(env_, partial_, ""));
      return OkStatus();
    }
    Status Add(const Element& element) override {
      return writer_->Add(element);
    }
    Status Finish() override {
      TF_RETURN_IF_ERROR(writer_->Close());
      TF_RETURN_IF_ERROR(env_->RenameFile(partial_, name_));
      writer_ = nullptr;
      return OkStatus();
    }

   private:
    Env* const env_;
    const std::string name_;
    const std::string partial_;
    std::unique_ptr<ElementWriter> writer_;
  };

  // A pass that fills the cache.
  class Filling final : public DatasetIterator<CacheDataset> {
   public:
    Filling(const CacheDataset* d, std::unique_ptr<IteratorBase> input,
            std::unique_ptr<CacheWriter> writer)
        : DatasetIterator(d),
          input_(std::move(input)),
          writer_(std::move(writer)) {}

    StatusOr<bool> GetNext(IteratorContext* ctx, Element* out) override {
      if (input_ == nullptr) return false;
      const StatusOr<bool> more = input_->GetNext(ctx, out);
      if (!more.ok()) {
        // A pass that lacks an element is not complete.
        writer_ = nullptr;
        return more;
      }
      if (*more) {
        if (writer_ != nullptr) TF_RETURN_IF_ERROR(writer_->Add(*out));
        return true;
      }
      input_ = nullptr;
      if (writer_ != nullptr) TF_RETURN_IF_ERROR(writer_->Finish());
      return false;
    }

   private:
    std::unique_ptr<IteratorBase> input_;
    std::unique_ptr<CacheWriter> writer_;
  };

  const std::string filename_;
  mutable mutex mu_;
  mutable Elements kept_ TF_GUARDED_BY(mu_);
};

class CacheDatasetOp final : public DatasetOpKernel {
 public:
  using DatasetOpKernel::DatasetOpKernel;

  StatusOr<DatasetPtr> MakeDataset(OpKernelContext* ctx) override {
    DatasetPtr input;
    std::string filename;
    TF_RETURN_IF_ERROR(Input(ctx, "input_dataset", &input));
    TF_RETURN_IF_ERROR(ScalarArgument(ctx, "filename", &filename));
    return DatasetPtr(new CacheDataset(std::move(input), std::move(filename)));
  }
};
REGISTER_KERNEL_BUILDER(Name("CacheDataset").Device(DEVICE_CPU),
                        CacheDatasetOp);

}  // namespace
}  // namespace tensorwright
