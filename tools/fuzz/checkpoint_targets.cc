// SPDX-License-Identifier: Apache-2.0
// Checkpoints of both formats, as files in memory.
#include <memory>
#include <string>

#include "core/framework/tensor.h"
#include "core/lib/core/coding.h"
#include "core/lib/core/errors.h"
#include "core/lib/io/table.h"
#include "core/platform/env.h"
#include "core/util/checkpoint_reader.h"
#include "core/util/tensor_bundle.h"
#include "tools/fuzz/fuzz_targets.h"

namespace tensorwright {
namespace fuzz {
namespace {

constexpr char kPrefix[] = "ram://fuzz/model";
constexpr size_t kDataBytes = 1000;

// Reads all that a checkpoint tells about itself, and its tensors.
void ReadCheckpoint(Env* env, const std::string& pattern) {
  std::unique_ptr<checkpoint::CheckpointReader> reader;
  if (!checkpoint::CheckpointReader::Open(env, pattern, &reader).ok()) return;
  reader->DebugString();
  for (const auto& [name, unused] : reader->variables()) {
    Tensor tensor;
    reader->GetTensor(name, &tensor).IgnoreError();
  }
}

// Reads a part of each tensor, as partitioned variables are restored.
void ReadSlices(Env* env) {
  std::unique_ptr<BundleReader> reader;
  if (!BundleReader::Open(env, kPrefix, &reader).ok()) return;
  std::vector<std::pair<std::string, int>> tensors;
  reader
      ->ForEach(
          [&](absl::string_view name, const BundleEntryProto& entry) {
            tensors.emplace_back(name, entry.shape().dim_size());
            return OkStatus();
          },
          /*slices=*/true)
      .IgnoreError();
  for (const auto& [name, rank] : tensors) {
    TensorSlice slice(rank);
    for (int d = 0; d < rank; ++d) {
      slice.set_start(d, 1);
      slice.set_length(d, 2);
    }
    TensorRead read;
    if (!reader->Plan(name, &slice, &read).ok()) continue;
    Tensor tensor(read.dtype, read.shape);
    reader->Read(read, &tensor).IgnoreError();
  }
}

// Reads the bytes as an index, over a data file that is always the same.
void ReadIndex(absl::string_view index) {
  Env* const env = Env::Default();
  std::string data(kDataBytes, '\0');
  for (size_t i = 0; i < data.size(); ++i) data[i] = static_cast<char>(i % 3);
  for (int shards = 1; shards <= 2; ++shards) {
    TF_CHECK_OK(WriteStringToFile(env, DataFilename(kPrefix, 0, shards), data));
  }
  TF_CHECK_OK(WriteStringToFile(env, MetaFilename(kPrefix), index));
  ReadCheckpoint(env, kPrefix);
  ReadSlices(env);
}

class StringSink final : public WritableFile {
 public:
  explicit StringSink(std::string* out) : out_(out) {}
  Status Append(absl::string_view data) override {
    out_->append(data.data(), data.size());
    return OkStatus();
  }
  Status Close() override { return OkStatus(); }
  Status Flush() override { return OkStatus(); }
  Status Sync() override { return OkStatus(); }

 private:
  std::string* const out_;
};

}  // namespace

void ReadBundleIndex(absl::string_view bytes) {
  ReadIndex(bytes);
  ReadIndex(WithTableSums(bytes));
}

// The bytes are a key's length and the key, a value's length and the value, and
// so on, lengths as varint32.  The header is added.
void ReadBundleEntries(absl::string_view bytes) {
  BundleHeaderProto header;
  header.set_num_shards(1);
  std::string index;
  StringSink sink(&index);
  table::TableBuilder builder(&sink);
  TF_CHECK_OK(builder.Add("", header.SerializeAsString()));
  while (!bytes.empty()) {
    absl::string_view piece[2];
    for (absl::string_view& p : piece) {
      uint32_t n = 0;
      if (!core::GetVarint32(&bytes, &n)) bytes = {};
      p = bytes.substr(0, n);
      bytes.remove_prefix(p.size());
    }
    // An entry whose key does not rise is left out.
    builder.Add(piece[0], piece[1]).IgnoreError();
  }
  TF_CHECK_OK(builder.Finish());
  ReadIndex(index);
}

void ReadSliceTable(absl::string_view bytes) {
  Env* const env = Env::Default();
  for (const std::string& file : {std::string(bytes), WithTableSums(bytes)}) {
    TF_CHECK_OK(WriteStringToFile(env, "ram://fuzz/v1", file));
    ReadCheckpoint(env, "ram://fuzz/v1");
  }
}

}  // namespace fuzz
}  // namespace tensorwright
