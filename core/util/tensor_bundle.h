// SPDX-License-Identifier: Apache-2.0
// Tensor bundles: the V2 format of checkpoints.
//
// A bundle "/a/model" is a table /a/model.index (core/lib/io/table.h) and data
// files /a/model.data-00000-of-00001, ...  The table has a BundleHeaderProto
// under "" and a BundleEntryProto under each tensor's name: dtype, shape, the
// place of its bytes, and their masked CRC-32C.  A tensor that was saved in
// slices has an entry without bytes that lists the slices, and one for each
// slice under its key (saved_tensor_slice_util.h).
//
// The bytes are the elements, row-major, in the byte order that the header
// names. Strings are stored as their lengths as varint64, the masked CRC-32C of
// these lengths (each as fixed32, or fixed64 from 4 GiB on), and the
// characters; the sum of a string tensor is taken over the lengths in the same
// form, that CRC, and the characters.
#ifndef TENSORWRIGHT_CORE_UTIL_TENSOR_BUNDLE_H_
#define TENSORWRIGHT_CORE_UTIL_TENSOR_BUNDLE_H_

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "core/framework/tensor.h"
#include "core/framework/tensor_shape.h"
#include "core/framework/tensor_slice.h"
#include "core/lib/core/status.h"
#include "core/lib/io/table.h"
#include "core/platform/env.h"
#include "core/platform/mutex.h"
#include "core/protobuf/tensor_bundle.pb.h"

namespace tensorwright {

namespace thread {
class ThreadPool;
}  // namespace thread

inline constexpr int kTensorBundleMinProducer = 0;
inline constexpr int kTensorBundleMinConsumer = 0;
inline constexpr int kTensorBundleVersion = 1;

// "prefix.index", "prefix.data-00001-of-00004".
std::string MetaFilename(absl::string_view prefix);
std::string DataFilename(absl::string_view prefix, int32_t shard_id,
                         int32_t num_shards);

// Can a tensor of this dtype be in a checkpoint?  Resources, variants and
// references cannot.
bool CanBeSaved(DataType dtype);

// A file that is written from front to back and summed meanwhile.  Small pieces
// are collected, large ones go straight through.
class SummedOutput {
 public:
  explicit SummedOutput(std::unique_ptr<WritableFile> file);
  Status Append(absl::string_view data);
  Status Close();
  // The position of the next byte.
  int64_t size() const { return size_; }
  // The sum of the bytes appended since the last SetSum, continued from the sum
  // set then.
  uint32_t sum() const { return sum_; }
  void SetSum(uint32_t sum) { sum_ = sum; }

 private:
  void AddToSum(absl::string_view data);
  Status Flush();

  std::unique_ptr<WritableFile> file_;
  std::string buffer_;
  int64_t size_ = 0;
  uint32_t sum_ = 0;
};

// Writes the table of a bundle; for the classes below.
Status WriteBundleIndex(Env* env, const std::string& path,
                        const BundleHeaderProto& header,
                        const std::map<std::string, BundleEntryProto>& entries);

// Writes a bundle of one data file.  The files have temporary names until
// Finish renames them, the data first, so that no reader sees half a bundle,
// and a process that ends before leaves the old one.  Takes no memory for
// tensors.  Not thread-safe.  A failure is kept: later calls return it.
class BundleWriter {
 public:
  // Makes the folder of `prefix` (not those above) if it is missing.
  BundleWriter(Env* env, absl::string_view prefix);
  // Without Finish, or after a failure, removes the temporary files.
  ~BundleWriter();
  BundleWriter(const BundleWriter&) = delete;
  BundleWriter& operator=(const BundleWriter&) = delete;

  // InvalidArgument for a name that was added before, or is empty or begins
  // with a zero byte, and for a dtype that cannot be saved.
  Status Add(const std::string& name, const Tensor& tensor);
  // Adds a part of a tensor of `full_shape`.  InvalidArgument if the parts'
  // dtypes or full shapes differ, or if `tensor` does not have the slice's
  // shape.
  Status AddSlice(const std::string& name, const TensorShape& full_shape,
                  const TensorSlice& slice, const Tensor& tensor);
  Status Finish();
  Status status() const { return status_; }

 private:
  Status Write(const std::string& key, const Tensor& tensor);
  Status WriteStrings(const Tensor& tensor);
  Status WriteIndex();

  Env* const env_;
  const std::string prefix_;
  const std::string data_path_;
  const std::string index_path_;
  bool finished_ = false;
  Status status_;
  std::unique_ptr<SummedOutput> data_;
  std::map<std::string, BundleEntryProto> entries_;
};

// A plan for reading a tensor, or a part of one: checked against the sizes of
// the files, so its memory may be allocated.
struct TensorRead {
  struct Piece {
    BundleEntryProto entry;
    TensorSlice slice;  // Within the full tensor.
    TensorShape shape;  // The shape of the slice.
  };
  std::string name;
  DataType dtype = DT_INVALID;
  TensorShape full_shape;
  TensorSlice slice;  // The part that is wanted.
  TensorShape shape;  // The shape of that.
  std::vector<Piece> pieces;

  int64_t bytes() const;
};

// Reads a bundle.  Thread-safe.  Errors: NotFound for missing files or tensors,
// DataLoss for broken files, with file, tensor and offset.  Takes memory in
// proportion to the size of the files, whatever they claim.
class BundleReader {
 public:
  static Status Open(Env* env, const std::string& prefix,
                     std::unique_ptr<BundleReader>* reader);

  bool Contains(const std::string& name);
  Status LookupEntry(const std::string& name, BundleEntryProto* entry);
  Status LookupDtypeAndShape(const std::string& name, DataType* dtype,
                             TensorShape* shape);

  // Plans to read a tensor, or a slice of it (null: all of it).
  // InvalidArgument for a slice of another rank or out of the shape.
  Status Plan(const std::string& name, const TensorSlice* slice,
              TensorRead* read);
  // Fills `tensor`, which has the plan's dtype and shape and memory that nobody
  // else reads.  Large tensors are read by the threads of `pool` too, if any.
  Status Read(const TensorRead& read, Tensor* tensor,
              thread::ThreadPool* pool = nullptr);
  // Plans, allocates and reads.
  Status Lookup(const std::string& name, Tensor* tensor);

  // Calls `visit` for each tensor, sorted by name; with the keys of slices too,
  // if `slices`.
  Status ForEach(const std::function<Status(absl::string_view,
                                            const BundleEntryProto&)>& visit,
                 bool slices = false);

  const BundleHeaderProto& header() const { return header_; }
  const std::string& prefix() const { return prefix_; }
  int32_t num_shards() const { return header_.num_shards(); }

 private:
  struct DataFile {
    std::unique_ptr<RandomAccessFile> file;
    uint64_t size = 0;
  };

  BundleReader(Env* env, const std::string& prefix)
      : env_(env), prefix_(prefix) {}
  Status OpenIndex();
  Status ParseEntry(absl::string_view key, absl::string_view value,
                    BundleEntryProto* entry) const;
  Status PlanSlices(const BundleEntryProto& full, TensorRead* read);
  Status AddPiece(const std::string& key, const TensorSlice& slice,
                  TensorRead* read);
  // The data file with the bytes of an entry, opened once.
  Status Open(const std::string& name, const BundleEntryProto& entry,
              const DataFile** file);
  Status ReadPiece(const TensorRead& read, const TensorRead::Piece& piece,
                   Tensor* tensor, thread::ThreadPool* pool);
  // The error about a tensor's bytes.
  Status Broken(const std::string& name, const BundleEntryProto& entry,
                absl::string_view what) const;

  Env* const env_;
  const std::string prefix_;
  BundleHeaderProto header_;
  bool swap_bytes_ = false;
  std::unique_ptr<RandomAccessFile> index_file_;
  std::unique_ptr<table::Table> table_;
  mutex mu_;
  std::unique_ptr<table::Table::Iterator> entries_ ABSL_GUARDED_BY(mu_);
  std::map<int32_t, DataFile> data_ ABSL_GUARDED_BY(mu_);
};

// Joins several bundles to one, renaming their data files, not copying them.
// The tables become one, in which the slices of a tensor that several have are
// joined.  The caller removes the empty folders of the old prefixes.
// InvalidArgument if two have the same tensor.  With `allow_missing_files` it
// skips bundles that are not there, and returns NotFound only if all are
// missing.
Status MergeBundles(Env* env, absl::Span<const std::string> prefixes,
                    absl::string_view merged_prefix,
                    bool allow_missing_files = false);

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_UTIL_TENSOR_BUNDLE_H_
