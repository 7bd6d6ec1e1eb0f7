// SPDX-License-Identifier: Apache-2.0
// CheckpointReader: lists a checkpoint of either format, and reads its tensors.
#ifndef TENSORWRIGHT_CORE_UTIL_CHECKPOINT_READER_H_
#define TENSORWRIGHT_CORE_UTIL_CHECKPOINT_READER_H_

#include <map>
#include <memory>
#include <string>

#include "core/framework/tensor.h"
#include "core/framework/tensor_shape.h"
#include "core/framework/types.h"
#include "core/lib/core/status.h"
#include "core/platform/env.h"
#include "core/platform/mutex.h"
#include "core/util/tensor_bundle.h"
#include "core/util/tensor_slice_table.h"

namespace tensorwright {
namespace checkpoint {

// Thread-safe.  Errors are those of BundleReader and TensorSliceReader.
class CheckpointReader {
 public:
  // `pattern` is the prefix of a V2 checkpoint, or matches V1 files.  NotFound
  // if there is neither.
  static Status Open(Env* env, const std::string& pattern,
                     std::unique_ptr<CheckpointReader>* reader);

  struct Variable {
    DataType dtype;
    TensorShape shape;
  };
  // A tensor saved in slices appears once, as a whole.
  const std::map<std::string, Variable>& variables() const {
    return variables_;
  }
  bool HasTensor(const std::string& name) const {
    return variables_.count(name) > 0;
  }
  Status GetTensor(const std::string& name, Tensor* tensor);
  // A line for each: "name (DT_FLOAT) [2,3]".
  std::string DebugString() const;

 private:
  CheckpointReader() = default;
  Status ListBundle();
  void ListTables();

  std::unique_ptr<BundleReader> bundle_;  // Or:
  mutex mu_;
  std::unique_ptr<TensorSliceReader> tables_ ABSL_PT_GUARDED_BY(mu_);
  std::map<std::string, Variable> variables_;
};

}  // namespace checkpoint
}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_UTIL_CHECKPOINT_READER_H_
