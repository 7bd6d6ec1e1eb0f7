// SPDX-License-Identifier: Apache-2.0
// Folders of saved elements, as TensorFlow writes them:
//
//   snapshot.metadata                      a SnapshotMetadataRecord
//   <run>/<8 digits>.shard/00000000.snapshot  elements, see element_files.h
//
// The metadata names the run that counts and tells whether it is complete.
//
// Threads: a RunWriter is used by one thread at a time.
#ifndef TENSORWRIGHT_CORE_KERNELS_DATASET_SNAPSHOT_DATASET_OP_FILES_H_
#define TENSORWRIGHT_CORE_KERNELS_DATASET_SNAPSHOT_DATASET_OP_FILES_H_

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/kernels/dataset/captured_function.h"
#include "core/kernels/dataset/dataset_base.h"
#include "core/kernels/dataset/element_files.h"
#include "core/protobuf/snapshot.pb.h"

namespace tensorwright::snapshot {

using Metadata = data::experimental::SnapshotMetadataRecord;

// False if `folder` has none; DataLoss if it cannot be read.
StatusOr<bool> ReadMetadata(Env* env, const std::string& folder,
                            Metadata* metadata);

// Writes elements into a new run of a folder.  A run that is not finished is
// deleted again.
class RunWriter {
 public:
  // `env`, which outlives it, reaches the files.
  RunWriter(Env* env, std::string folder, std::string hash,
            std::string compression, DataTypeVector dtypes);
  ~RunWriter();

  Status Open();
  // InvalidArgument for a negative shard.
  Status Add(int64_t shard, const Element& element);
  // Completes the run, which counts from now on.
  Status Finish();

 private:
  Status WriteMetadata(bool finalized);

  Env* const env_;
  const std::string folder_;
  const std::string compression_;
  std::string run_folder_;
  Metadata metadata_;
  std::map<int64_t, std::unique_ptr<ElementWriter>> shards_;
  bool finished_ = false;
};

// The run that `metadata` names: a dataset whose elements are datasets, one for
// each shard, of `dtypes` and `shapes`.  InvalidArgument: the run has other
// types, or a format that is not known.
StatusOr<DatasetPtr> Shards(Env* env, const std::string& folder,
                            const Metadata& metadata,
                            const std::string& compression,
                            const DataTypeVector& dtypes,
                            const std::vector<PartialTensorShape>& shapes);

// Finds the shard of an element by a function of it; InvalidArgument unless the
// result is one int64.
StatusOr<int64_t> ShardOf(IteratorContext* ctx,
                          const InstantiatedFunction& function,
                          const Element& element);

}  // namespace tensorwright::snapshot

#endif  // TENSORWRIGHT_CORE_KERNELS_DATASET_SNAPSHOT_DATASET_OP_FILES_H_
