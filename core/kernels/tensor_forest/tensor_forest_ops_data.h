// SPDX-License-Identifier: Apache-2.0
// The examples of one call: a matrix, a sparse one, or both side by side.
#ifndef TENSORWRIGHT_CORE_KERNELS_TENSOR_FOREST_TENSOR_FOREST_OPS_DATA_H_
#define TENSORWRIGHT_CORE_KERNELS_TENSOR_FOREST_TENSOR_FOREST_OPS_DATA_H_

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/types/span.h"
#include "core/framework/op_kernel.h"
#include "core/lib/core/status.h"

namespace tensorwright {
namespace forest {

// The kinds of columns, from the attr `input_spec`: numbers, or categories,
// which are only compared for equality.  Columns that it does not tell of are
// numbers.  Immutable after FromAttr.
class FeatureKinds {
 public:
  // InvalidArgument if it is not the text that
  // contrib/tensor_forest/python/ops/data_ops.py writes.
  Status FromAttr(OpKernelConstruction* ctx);
  // `column` of the matrix, or of the sparse one.
  bool IsCategory(bool is_sparse, int64_t column) const;

 private:
  using Columns = std::vector<std::pair<int64_t, bool>>;  // Size, is category.

  static Status ParseColumns(const std::string& text, Columns* columns);

  Columns dense_, sparse_;
};

// Borrows the context's inputs.  Any number of threads may read it.  A feature
// is a column of the matrix, or, plus its width, one of the sparse matrix.
class ForestExamples {
 public:
  // Reads four inputs from number `first` on: input_data, sparse_input_indices,
  // sparse_input_values, sparse_input_shape.  InvalidArgument for an index out
  // of range, or for different numbers of rows.  The shape function has checked
  // the shapes.
  Status Read(OpKernelContext* ctx, int first);

  int64_t size() const { return rows_; }
  // 0 where the sparse matrix has no entry, or there is no such feature.
  float Value(int64_t row, int64_t feature) const;
  // The features of the matrix, and those that the row has in the sparse one.
  int64_t CountPresent(int64_t row) const;
  // Number `i` of them, with its value.
  std::pair<int32_t, float> Present(int64_t row, int64_t i) const;
  bool IsCategory(const FeatureKinds& kinds, int32_t feature) const {
    return feature < columns_
               ? kinds.IsCategory(/*is_sparse=*/false, feature)
               : kinds.IsCategory(/*is_sparse=*/true, feature - columns_);
  }

 private:
  struct Entry {
    int64_t row;
    int64_t column;
    float value;
    bool operator<(const Entry& o) const {
      return row != o.row ? row < o.row : column < o.column;
    }
  };

  Status ReadSparse(OpKernelContext* ctx, int first);
  // The entries of a row.
  absl::Span<const Entry> Row(int64_t row) const;

  int64_t rows_ = 0;
  int64_t columns_ = 0;
  const float* data_ = nullptr;
  std::vector<Entry> entries_;  // Sorted.
};

// The labels and weights of one call.  Borrows its inputs.
class ForestLabels {
 public:
  // Reads input_labels and input_weights, from number `first` on.
  // InvalidArgument for a label that is no class or not finite, or a weight
  // that is negative or not finite.  The shape function has checked the rows.
  Status Read(OpKernelContext* ctx, int first, bool is_regression,
              int num_outputs);

  // The class of a row, or its num_outputs numbers.
  absl::Span<const float> Label(int64_t row) const {
    return labels_.subspan(row * width_, width_);
  }
  double Weight(int64_t row) const {
    return weights_.empty() ? 1.0 : weights_[row];
  }

 private:
  int64_t width_ = 1;
  absl::Span<const float> labels_;
  absl::Span<const float> weights_;
};

}  // namespace forest
}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_KERNELS_TENSOR_FOREST_TENSOR_FOREST_OPS_DATA_H_
