// SPDX-License-Identifier: Apache-2.0
// Parses the feature lists of SequenceExamples into tensors.
#ifndef TENSORWRIGHT_CORE_KERNELS_PARSING_EXAMPLE_PARSING_OPS_LISTS_H_
#define TENSORWRIGHT_CORE_KERNELS_PARSING_EXAMPLE_PARSING_OPS_LISTS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"
#include "core/framework/op_kernel.h"
#include "core/framework/tensor_shape.h"
#include "core/kernels/parsing/example_parsing_ops_columns.h"
#include "core/lib/core/status.h"

namespace tensorwright {

// The way in which a feature list, made of frames of values, becomes tensors.
struct FeatureListSpec {
  std::string key;
  DataType dtype = DT_INVALID;
  // A dense list has as many values in each frame: [batch, most frames,
  // shape...], padded with zeros.  A ragged list gives values [n] and two
  // splits, of the frames of each example and of the values of each frame.  Any
  // other list is sparse: [batch, most frames, most values].
  bool dense = false;
  bool ragged = false;
  TensorShape shape;
  int64_t num_elements = 0;
  bool may_be_missing = false;
  // Outputs of the op; -1 if there is none.
  int indices = -1;
  int values = -1;
  int dense_shape = -1;
  int lengths = -1;
  int outer_splits = -1;
  int inner_splits = -1;
};

// The feature lists to look for.  Immutable and thread-safe.
class FeatureListTable {
 public:
  // InvalidArgument if a key occurs twice.
  Status Init(std::vector<FeatureListSpec> specs);

  // Writes the outputs of all lists.
  Status Parse(OpKernelContext* ctx, const ExampleBatch& batch) const;

 private:
  struct Found;
  Status Scan(const ExampleBatch& batch, size_t index,
              example_wire::Pieces* pieces, Found* row) const;

  std::vector<FeatureListSpec> specs_;
  absl::flat_hash_map<absl::string_view, int> places_;  // Views of specs_.
};

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_KERNELS_PARSING_EXAMPLE_PARSING_OPS_LISTS_H_
