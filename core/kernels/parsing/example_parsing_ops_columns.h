// SPDX-License-Identifier: Apache-2.0
// Parses a batch of Examples into tensors, one or several for each feature.
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

// The way in which a feature becomes a tensor.
enum class FeatureLayout {
  kDense,  // Each example has as many values: [batch, shape...].
  // Examples have any number of rows, padded: [batch, most, shape[1:]...].
  kDenseRows,
  kSparse,  // indices [n, 2], values [n], shape [2].
  kRagged,  // values [n], splits [batch + 1].
};

struct FeatureSpec {
  std::string key;
  DataType dtype = DT_INVALID;
  FeatureLayout layout = FeatureLayout::kSparse;
  TensorShape shape;  // For kDense that of a value, for kDenseRows of a row.
  int64_t num_elements = 0;  // The number of elements in `shape`.
  // Outputs of the op; -1 if the layout has no such output.
  int indices = -1;
  int values = -1;
  int dense_shape = -1;
  int splits = -1;
  DataType splits_dtype = DT_INT64;
};

// Fills shape, number of elements and layout of a dense feature from its attr.
Status SetDenseShape(const PartialTensorShape& shape, FeatureSpec* spec);

// InvalidArgument if a default does not fit; `which` is its place in the list,
// for the message.
Status CheckDefault(const FeatureSpec& spec, const Tensor& value, int which);

// The serialized messages to parse: Examples, or contexts of SequenceExamples.
struct ExampleBatch {
  absl::Span<const std::string> serialized;
  // Names for messages of errors; empty, or one for each example.
  absl::Span<const std::string> names;
  // Says that there is one example, whose tensors have no batch dimension.
  bool single = false;
  // Names for a feature and for a missing feature, in messages of errors.
  const char* word = "Key";
  const char* missing = "Feature";

  // Returns "Name: n, Key: k, Index: i.  ", or the key alone for a single
  // example.
  std::string Where(size_t index, absl::string_view key) const;
  std::string NameOf(size_t index) const;
};

// The features to look for.  Immutable and thread-safe.
class FeatureTable {
 public:
  // InvalidArgument if a key occurs twice.
  Status Init(std::vector<FeatureSpec> specs);

  const std::vector<FeatureSpec>& specs() const { return specs_; }

  // Writes the outputs of all features.  defaults[i] belongs to spec i; if it
  // is null or has no elements, each example must have that dense feature.
  // Errors are InvalidArgument, from the first example that has one.
  Status Parse(OpKernelContext* ctx, const ExampleBatch& batch,
               absl::Span<const Tensor* const> defaults) const;

 private:
  std::vector<FeatureSpec> specs_;
  absl::flat_hash_map<absl::string_view, int> places_;  // Views of specs_.
};

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_KERNELS_PARSING_EXAMPLE_PARSING_OPS_COLUMNS_H_
