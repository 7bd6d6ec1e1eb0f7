// SPDX-License-Identifier: Apache-2.0
// Folders of saved elements.
#include "core/kernels/dataset/snapshot_dataset_op_files.h"

#include <algorithm>
#include <limits>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "core/kernels/dataset/element_list.h"
#include "core/lib/core/errors.h"
#include "core/lib/io/path.h"
#include "core/lib/random/random.h"

namespace tensorwright::snapshot {
namespace {

constexpr char kMetadataFile[] = "snapshot.metadata";
// TFRecords of TensorProtos.
constexpr int64_t kVersion = 2;

// The names in `folder` that end with `ending`, sorted.
Status Named(Env* env, const std::string& folder, absl::string_view ending,
             std::vector<std::string>* paths) {
  std::vector<std::string> names;
  TF_RETURN_IF_ERROR(env->GetChildren(folder, &names));
  std::sort(names.begin(), names.end());
  for (const std::string& name : names) {
    if (absl::EndsWith(name, ending)) {
      paths->push_back(io::JoinPath(folder, name));
    }
  }
  return OkStatus();
}

// The elements of a shard: those of its files, one after the other.
class ShardDataset final : public DatasetBase {
 public:
  ShardDataset(std::vector<std::string> files, std::string compression,
               DataTypeVector dtypes, std::vector<PartialTensorShape> shapes)
      : DatasetBase(std::move(dtypes), std::move(shapes)),
        files_(std::move(files)),
        compression_(std::move(compression)) {}

  std::string Name() const override { return "SnapshotShard"; }

  StatusOr<std::unique_ptr<IteratorBase>> MakeIterator(
      IteratorContext*) const override {
    return std::unique_ptr<IteratorBase>(new Iterator(this));
  }

 private:
  class Iterator final : public DatasetIterator<ShardDataset> {
   public:
    using DatasetIterator::DatasetIterator;

    StatusOr<bool> GetNext(IteratorContext* ctx, Element* out) override {
      const ShardDataset& d = dataset();
      for (;;) {
        if (reader_ == nullptr) {
          if (next_ == d.files_.size()) return false;
          TF_ASSIGN_OR_RETURN(
              reader_, ElementReader::Open(ctx->env, d.files_[next_++],
                                           d.compression_, d.output_dtypes()));
        }
        const StatusOr<bool> more = reader_->Next(out);
        // After a broken record nothing can be found.
        if (!more.ok() || !*more) reader_ = nullptr;
        if (!more.ok() || *more) return more;
      }
    }

   private:
    std::unique_ptr<ElementReader> reader_;
    size_t next_ = 0;
  };

  const std::vector<std::string> files_;
  const std::string compression_;
};

}  // namespace

StatusOr<bool> ReadMetadata(Env* env, const std::string& folder,
                            Metadata* metadata) {
  const std::string name = io::JoinPath(folder, kMetadataFile);
  const Status found = env->FileExists(name);
  if (errors::IsNotFound(found)) return false;
  TF_RETURN_IF_ERROR(found);
  std::string bytes;
  TF_RETURN_IF_ERROR(ReadFileToString(env, name, &bytes));
  if (!metadata->ParseFromString(bytes)) {
    return errors::DataLoss(name, " is not the metadata of saved elements");
  }
  return true;
}

RunWriter::RunWriter(Env* env, std::string folder, std::string hash,
                     std::string compression, DataTypeVector dtypes)
    : env_(env),
      folder_(std::move(folder)),
      compression_(std::move(compression)) {
  metadata_.set_graph_hash(std::move(hash));
  metadata_.set_run_id(absl::StrCat(random::New64()));
  metadata_.set_version(kVersion);
  for (const DataType dtype : dtypes) metadata_.add_dtype(dtype);
  run_folder_ = io::JoinPath(folder_, metadata_.run_id());
}

RunWriter::~RunWriter() {
  shards_.clear();
  if (finished_) return;
  int64_t files = 0, folders = 0;
  env_->DeleteRecursively(run_folder_, &files, &folders).IgnoreError();
}

Status RunWriter::Open() {
  TF_RETURN_IF_ERROR(env_->RecursivelyCreateDir(run_folder_));
  return WriteMetadata(/*finalized=*/false);
}

// Has another name until it is complete: others may read.
Status RunWriter::WriteMetadata(bool finalized) {
  metadata_.set_creation_timestamp(static_cast<int64_t>(env_->NowMicros()));
  metadata_.set_finalized(finalized);
  const std::string name = io::JoinPath(folder_, kMetadataFile);
  const std::string partial = absl::StrCat(name, ".", metadata_.run_id());
  TF_RETURN_IF_ERROR(
      WriteStringToFile(env_, partial, metadata_.SerializeAsString()));
  return env_->RenameFile(partial, name);
}

Status RunWriter::Add(int64_t shard, const Element& element) {
  if (shard < 0) {
    return errors::InvalidArgument(
        "the shard of an element must not be negative, got ", shard);
  }
  std::unique_ptr<ElementWriter>& writer = shards_[shard];
  if (writer == nullptr) {
    const std::string folder =
        io::JoinPath(run_folder_, absl::StrFormat("%08d.shard", shard));
    TF_RETURN_IF_ERROR(env_->RecursivelyCreateDir(folder));
    TF_ASSIGN_OR_RETURN(
        writer,
        ElementWriter::Open(env_, io::JoinPath(folder, "00000000.snapshot"),
                            compression_));
  }
  metadata_.set_num_elements(metadata_.num_elements() + 1);
  return writer->Add(element);
}

Status RunWriter::Finish() {
  for (auto& [shard, writer] : shards_) TF_RETURN_IF_ERROR(writer->Close());
  TF_RETURN_IF_ERROR(WriteMetadata(/*finalized=*/true));
  finished_ = true;
  return OkStatus();
}

StatusOr<DatasetPtr> Shards(Env* env, const std::string& folder,
                            const Metadata& metadata,
                            const std::string& compression,
                            const DataTypeVector& dtypes,
                            const std::vector<PartialTensorShape>& shapes) {
  if (metadata.version() != kVersion) {
    return errors::InvalidArgument(folder, ": format ", metadata.version(),
                                   " of saved elements is not known; ",
                                   kVersion, " is");
  }
  DataTypeVector saved;
  for (const int dtype : metadata.dtype()) {
    saved.push_back(static_cast<DataType>(dtype));
  }
  if (saved != dtypes) {
    return errors::InvalidArgument(
        folder, ": elements of types ", DataTypeSliceString(saved),
        " were saved, elements of types ", DataTypeSliceString(dtypes),
        " are asked for");
  }
  // Accepts only the name of a file, which cannot lead elsewhere.
  const std::string& run = metadata.run_id();
  if (run.empty() || !std::all_of(run.begin(), run.end(), [](char c) {
        return c >= '0' && c <= '9';
      })) {
    return errors::DataLoss(folder, ": the metadata names no run");
  }
  std::vector<std::string> folders;
  TF_RETURN_IF_ERROR(Named(env, io::JoinPath(folder, run), ".shard", &folders));
  std::vector<Element> shards;
  for (const std::string& shard : folders) {
    std::vector<std::string> files;
    TF_RETURN_IF_ERROR(Named(env, shard, ".snapshot", &files));
    shards.push_back({DatasetToTensor(DatasetPtr(
        new ShardDataset(std::move(files), compression, dtypes, shapes)))});
  }
  return DatasetPtr(new ElementList(std::move(shards), {DT_VARIANT},
                                    {PartialTensorShape({})}));
}

StatusOr<int64_t> ShardOf(IteratorContext* ctx,
                          const InstantiatedFunction& function,
                          const Element& element) {
  Element rets;
  TF_RETURN_IF_ERROR(function.Run(ctx, element, &rets));
  if (rets.size() != 1 || rets[0].dtype() != DT_INT64 ||
      rets[0].NumElements() != 1) {
    return errors::InvalidArgument("`shard_func` must return a scalar int64.");
  }
  return *rets[0].base<int64_t>();
}

}  // namespace tensorwright::snapshot
