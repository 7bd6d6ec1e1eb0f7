// SPDX-License-Identifier: Apache-2.0
// SnapshotDatasetV2: keeps the elements of the first whole pass in files for
// later passes, in this process or another.

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "core/framework/function.h"
#include "core/kernels/dataset/captured_function.h"
#include "core/kernels/dataset/snapshot_dataset_op_files.h"
#include "core/lib/io/path.h"

namespace tensorwright {
namespace {

constexpr char kName[] = "SnapshotDatasetV2";

// The settings in the op's attrs and inputs.
struct Settings {
  std::string path;
  std::string compression;
  bool hash_valid = false;
  int64_t hash = 0;
  std::unique_ptr<CapturedFunction> reader;
  std::unique_ptr<CapturedFunction> shard;
};

class SnapshotDataset final : public UnaryDataset {
 public:
  SnapshotDataset(DatasetPtr input, Settings settings, DataTypeVector dtypes,
                  std::vector<PartialTensorShape> shapes)
      : UnaryDataset(std::move(input), std::move(dtypes), std::move(shapes)),
        settings_(std::move(settings)) {}

  std::string Name() const override { return "Snapshot"; }
  bool MayWait() const override { return true; }
  int64_t Cardinality() const override { return input().Cardinality(); }

  StatusOr<std::unique_ptr<IteratorBase>> MakeIterator(
      IteratorContext* ctx) const override {
    TF_ASSIGN_OR_RETURN(const std::string hash, Hash(ctx));
    const std::string folder = io::JoinPath(settings_.path, hash);
    snapshot::Metadata metadata;
    TF_ASSIGN_OR_RETURN(const bool exists,
                        snapshot::ReadMetadata(ctx->env, folder, &metadata));
    if (exists && metadata.finalized()) return Read(ctx, folder, metadata);
    // Another pass may be writing: each has its own run, and the last one to be
    // complete counts.
    auto made = std::make_unique<Writing>(this);
    TF_ASSIGN_OR_RETURN(made->input, input().MakeIterator(ctx));
    TF_ASSIGN_OR_RETURN(made->shard, settings_.shard->Instantiate(ctx));
    made->writer = std::make_unique<snapshot::RunWriter>(
        ctx->env, folder, hash, settings_.compression, output_dtypes());
    TF_RETURN_IF_ERROR(made->writer->Open());
    return std::unique_ptr<IteratorBase>(std::move(made));
  }

 private:
  StatusOr<std::string> Hash(IteratorContext* ctx) const {
    if (settings_.hash_valid) {
      return absl::StrCat(static_cast<uint64_t>(settings_.hash));
    }
    const FunctionLibraryDefinition* functions =
        ctx->functions == nullptr
            ? nullptr
            : ctx->functions->GetFunctionLibraryDefinition();
    TF_ASSIGN_OR_RETURN(const uint64_t number, input().Fingerprint(functions));
    // Files with another compression are different ones.
    return absl::StrCat(settings_.compression.empty() ? number : ~number);
  }

  StatusOr<std::unique_ptr<IteratorBase>> Read(
      IteratorContext* ctx, const std::string& folder,
      const snapshot::Metadata& metadata) const {
    TF_ASSIGN_OR_RETURN(
        DatasetPtr shards,
        snapshot::Shards(ctx->env, folder, metadata, settings_.compression,
                         output_dtypes(), output_shapes()));
    TF_ASSIGN_OR_RETURN(const auto reader, settings_.reader->Instantiate(ctx));
    auto made = std::make_unique<Reading>(this);
    TF_ASSIGN_OR_RETURN(
        made->read,
        reader.RunDataset(ctx, {DatasetToTensor(std::move(shards))}));
    TF_RETURN_IF_ERROR(
        CheckDtypes(output_dtypes(), made->read->output_dtypes()));
    TF_ASSIGN_OR_RETURN(made->iterator, made->read->MakeIterator(ctx));
    return std::unique_ptr<IteratorBase>(std::move(made));
  }

  struct Reading final : public DatasetIterator<SnapshotDataset> {
    using DatasetIterator::DatasetIterator;
    StatusOr<bool> GetNext(IteratorContext* ctx, Element* out) override {
      return iterator->GetNext(ctx, out);
    }
    DatasetPtr read;
    std::unique_ptr<IteratorBase> iterator;
  };

  struct Writing final : public DatasetIterator<SnapshotDataset> {
    using DatasetIterator::DatasetIterator;

    StatusOr<bool> GetNext(IteratorContext* ctx, Element* out) override {
      if (input == nullptr) return false;
      const StatusOr<bool> more = input->GetNext(ctx, out);
      if (!more.ok()) {
        writer = nullptr;  // A pass that lacks an element is not complete.
        return more;
      }
      if (*more) {
        const Status written = Write(ctx, *out);
        if (!written.ok()) writer = nullptr;
        TF_RETURN_IF_ERROR(AtElement(written, kName, next++));
        return true;
      }
      input = nullptr;
      if (writer != nullptr) TF_RETURN_IF_ERROR(writer->Finish());
      return false;
    }

    Status Write(IteratorContext* ctx, const Element& element) {
      if (writer == nullptr) return OkStatus();
      TF_ASSIGN_OR_RETURN(const int64_t number,
                          snapshot::ShardOf(ctx, *shard, element));
      return writer->Add(number, element);
    }

    std::unique_ptr<IteratorBase> input;
    std::optional<InstantiatedFunction> shard;
    std::unique_ptr<snapshot::RunWriter> writer;
    int64_t next = 0;
  };

  const Settings settings_;
};

class SnapshotDatasetOp final : public DatasetOpKernel {
 public:
  explicit SnapshotDatasetOp(OpKernelConstruction* ctx) : DatasetOpKernel(ctx) {
    OP_REQUIRES_OK(ctx, ctx->GetAttr("compression", &compression_));
    // This one is quick to write and to read.
    if (compression_ == "AUTO") compression_ = "SNAPPY";
    OP_REQUIRES_OK(ctx, CheckElementCompression(kName, compression_));
    OP_REQUIRES_OK(ctx, ctx->GetAttr("hash_valid", &hash_valid_));
    OP_REQUIRES_OK(ctx, ctx->GetAttr("hash", &hash_));
    OP_REQUIRES_OK(ctx, ctx->GetAttr("reader_func", &reader_));
    OP_REQUIRES_OK(ctx, ctx->GetAttr("shard_func", &shard_));
    OP_REQUIRES_OK(ctx, ReadOutputSpec(ctx, &dtypes_, &shapes_));
  }

  StatusOr<DatasetPtr> MakeDataset(OpKernelContext* ctx) override {
    DatasetPtr input;
    Settings settings;
    settings.compression = compression_;
    settings.hash_valid = hash_valid_;
    settings.hash = hash_;
    TF_RETURN_IF_ERROR(Input(ctx, "input_dataset", &input));
    TF_RETURN_IF_ERROR(ScalarArgument(ctx, "path", &settings.path));
    TF_RETURN_IF_ERROR(CapturedFunction::FromNode(
        ctx, reader_, "reader_func_other_args", &settings.reader));
    TF_RETURN_IF_ERROR(CapturedFunction::FromNode(
        ctx, shard_, "shard_func_other_args", &settings.shard));
    TF_RETURN_IF_ERROR(CheckDtypes(dtypes_, input->output_dtypes()));
    return DatasetPtr(new SnapshotDataset(std::move(input), std::move(settings),
                                          dtypes_, shapes_));
  }

 private:
  std::string compression_;
  bool hash_valid_ = false;
  int64_t hash_ = 0;
  NameAttrList reader_;
  NameAttrList shard_;
  DataTypeVector dtypes_;
  std::vector<PartialTensorShape> shapes_;
};
REGISTER_KERNEL_BUILDER(Name("SnapshotDatasetV2").Device(DEVICE_CPU),
                        SnapshotDatasetOp);

}  // namespace
}  // namespace tensorwright
