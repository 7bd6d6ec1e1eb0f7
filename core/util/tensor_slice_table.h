// SPDX-License-Identifier: Apache-2.0
// Tables of tensor slices: the V1 format of checkpoints.
//
// A checkpoint is one or more tables (core/lib/io/table.h).  Each has a
// SavedTensorSlices with `meta` under "", the names, dtypes, shapes and slices
// of its tensors, and one with `data` under the key of each slice
// (saved_tensor_slice_util.h): the values as a TensorProto.
#ifndef TENSORWRIGHT_CORE_UTIL_TENSOR_SLICE_TABLE_H_
#define TENSORWRIGHT_CORE_UTIL_TENSOR_SLICE_TABLE_H_

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/framework/tensor.h"
#include "core/framework/tensor_shape.h"
#include "core/framework/tensor_slice.h"
#include "core/lib/core/status.h"
#include "core/lib/io/table.h"
#include "core/platform/env.h"

namespace tensorwright {
namespace checkpoint {

// Writes one table, under a temporary name until Finish renames it.  Shares
// tensors and does not copy them; encodes a slice when it is written.  Not
// thread-safe.
class TensorSliceWriter {
 public:
  TensorSliceWriter(Env* env, std::string filename);

  // InvalidArgument if a slice comes twice, if a name's dtypes or shapes
  // differ, for dtypes the format does not have, and for more than 2 GiB in a
  // slice.
  Status Add(const std::string& name, const TensorShape& full_shape,
             const TensorSlice& slice, const Tensor& tensor);
  Status Finish();

 private:
  struct Named {
    DataType dtype;
    TensorShape shape;
    std::vector<TensorSlice> slices;
  };
  struct Value {
    std::string name;
    TensorSlice slice;
    Tensor tensor;
  };

  Status WriteTable(const std::string& path) const;

  Env* const env_;
  const std::string filename_;
  std::vector<std::string> order_;  // Names, in the order in which they came.
  std::map<std::string, Named> tensors_;
  std::map<std::string, Value> values_;  // By key.
};

// Reads the tables that a pattern matches, as one checkpoint.  Errors are those
// of BundleReader.  Not thread-safe.
class TensorSliceReader {
 public:
  // NotFound if no file matches.
  static Status Open(Env* env, const std::string& pattern,
                     std::unique_ptr<TensorSliceReader>* reader);

  struct Named {
    struct Part {
      TensorSlice slice;
      size_t file;
    };
    DataType dtype;
    TensorShape shape;
    std::vector<Part> parts;
  };
  const std::map<std::string, Named>& tensors() const { return tensors_; }
  // Null if there is none.
  const Named* Find(const std::string& name) const;

  // Reads a tensor, whose dtype must be the saved one.  `shape_and_slice` is
  // empty or a text of saved_tensor_slice_util.h, whose shape must be the saved
  // one. A tensor that is put together from pieces is in memory that `allocate`
  // gives.
  Status Read(
      const std::string& name, const std::string& shape_and_slice,
      DataType dtype,
      const std::function<Status(const TensorShape&, Tensor*)>& allocate,
      Tensor* tensor);

 private:
  struct File {
    std::string path;
    std::unique_ptr<RandomAccessFile> file;
    std::unique_ptr<table::Table> table;
  };

  Status AddFile(Env* env, const std::string& path);
  Status AddTensors(absl::string_view meta, const std::string& path);
  Status ReadSlice(
      const std::string& name, const Named& named, const TensorSlice& wanted,
      const std::function<Status(const TensorShape&, Tensor*)>& allocate,
      Tensor* tensor) const;
  Status ReadPart(const std::string& name, const Named& named,
                  const Named::Part& part, Tensor* values) const;

  std::string pattern_;
  std::vector<File> files_;
  std::map<std::string, Named> tensors_;
};

}  // namespace checkpoint
}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_UTIL_TENSOR_SLICE_TABLE_H_
