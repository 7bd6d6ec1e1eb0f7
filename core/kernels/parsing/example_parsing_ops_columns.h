// SPDX-License-Identifier: Apache-2.0
// A batch of Examples as tensors, one or several for each feature.
#ifndef TENSORWRIGHT_CORE_KERNELS_PARSING_EXAMPLE_PARSING_OPS_COLUMNS_H_
#define TENSORWRIGHT_CORE_KERNELS_PARSING_EXAMPLE_PARSING_OPS_COLUMNS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "core/framework/op_kernel.h"
#include "core/framework/tensor.h"
#include "core/framework/tensor_shape.h"
#include "core/kernels/parsing/example_parsing_ops_wire.h"
#include "core/lib/core/status.h"

namespace tensorwright {

// How a feature becomes a tensor.
enum class FeatureLayout {
  kDense,      // As many values in each example: [batch, shape...].
  kDenseRows,  // Any number of rows, padded: [batch, most, shape[1:]...].
  kSparse,     // indices [n, 2], values [n], shape [2].
  kRagged,     // values [n], splits [batch + 1].
};

struct FeatureSpec {
  std::string key;
  DataType dtype = DT_INVALID;
  FeatureLayout layout = FeatureLayout::kSparse;
  TensorShape shape;         // Of kDense; of a row of kDenseRows.
  int64_t num_elements = 0;  // Of `shape`.
  // Outputs of the op; -1 where the layout has none.
  int indices = -1;
  int values = -1;
  int dense_shape = -1;
  int splits = -1;
  DataType splits_dtype = DT_INT64;
};

// Fills shape, elements and layout of a dense feature from its attr.
Status SetDenseShape(const PartialTensorShape& shape, FeatureSpec* spec);

// Does a default fit?  `which` is its place in the list, for messages.
Status CheckDefault(const FeatureSpec& spec, const Tensor& value, int which);

// What is parsed: Examples, or contexts of SequenceExamples.
struct ExampleBatch {
  absl::Span<const std::string> serialized;
  // For messages; empty, or one for each.
  absl::Span<const std::string> names;
  // One example, whose tensors have no dimension of the batch.
  bool single = false;
  // What messages call a feature, and one that is missing.
  const char* word = "Key";
  const char* missing = "Feature";

  // "Name: n, Key: k, Index: i.  ", or without name and index of a single one.
  std::string Where(size_t index, absl::string_view key) const;
  std::string NameOf(size_t index) const;
};

// The features to look for.  Immutable, thread-safe.
class FeatureTable {
 public:
  // InvalidArgument if a key is there twice.
  Status Init(std::vector<FeatureSpec> specs);

  const std::vector<FeatureSpec>& specs() const { return specs_; }

  // Writes the outputs of all features.  defaults[i] belongs to spec i: where
  // it has no elements, or is null, a dense feature must be there.  Errors are
  // InvalidArgument, of the first example that has one.
  Status Parse(OpKernelContext* ctx, const ExampleBatch& batch,
               absl::Span<const Tensor* const> defaults) const;

 private:
  std::vector<FeatureSpec> specs_;
  absl::flat_hash_map<absl::string_view, int> places_;  // Views of specs_.
};

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_KERNELS_PARSING_EXAMPLE_PARSING_OPS_COLUMNS_H_
