// SPDX-License-Identifier: Apache-2.0
// Reads examples, labels and weights.

#include "core/kernels/tensor_forest/tensor_forest_ops_data.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "absl/strings/numbers.h"
#include "absl/strings/str_split.h"
#include "core/framework/tensor.h"
#include "core/lib/core/errors.h"

namespace tensorwright {
namespace forest {

Status FeatureKinds::FromAttr(OpKernelConstruction* ctx) {
  std::string spec;
  TF_RETURN_IF_ERROR(ctx->GetAttr("input_spec", &spec));
  if (spec.empty()) return OkStatus();
  // "dense_features_size: 3 dense: [...] sparse: [...]"; the names of columns
  // have no brackets.
  const size_t dense = spec.find(" dense: [");
  const size_t sparse = spec.find("] sparse: [");
  if (dense == std::string::npos || sparse == std::string::npos ||
      sparse < dense || spec.back() != ']') {
    return errors::InvalidArgument("input_spec is no description of columns: ",
                                   spec);
  }
  TF_RETURN_IF_ERROR(ParseColumns(spec.substr(dense, sparse - dense), &dense_));
  return ParseColumns(spec.substr(sparse), &sparse_);
}

Status FeatureKinds::ParseColumns(const std::string& text, Columns* columns) {
  const std::vector<std::string> words =
      absl::StrSplit(text, absl::ByAnyChar(" ,[]"), absl::SkipEmpty());
  for (size_t i = 0; i + 3 < words.size(); ++i) {
    if (words[i] != "original_type:") continue;
    int kind = 0;
    int64_t size = 0;
    if (!absl::SimpleAtoi(words[i + 1], &kind) || words[i + 2] != "size:" ||
        !absl::SimpleAtoi(words[i + 3], &size)) {
      return errors::InvalidArgument(
          "input_spec is no description of columns: ", text);
    }
    columns->emplace_back(size, kind == 1);
  }
  return OkStatus();
}

bool FeatureKinds::IsCategory(bool is_sparse, int64_t column) const {
  for (const auto& [size, is_category] : is_sparse ? sparse_ : dense_) {
    // A column of negative size has all that follow.
    if (size < 0 || column < size) return is_category;
    column -= size;
  }
  return false;
}

Status ForestExamples::Read(OpKernelContext* ctx, int first) {
  const Tensor& data = ctx->input(first);
  const Tensor& shape = ctx->input(first + 3);
  if (data.dims() == 2) {
    rows_ = data.dim_size(0);
    columns_ = data.dim_size(1);
    data_ = data.base<float>();
  } else if (data.NumElements() != 0) {
    return errors::InvalidArgument(
        "input_data must have rank 2 or be empty, got shape ",
        data.shape().DebugString());
  }
  if (shape.NumElements() == 0) {
    if (ctx->input(first + 2).NumElements() > 0) {
      return errors::InvalidArgument(
          "sparse_input_values have no sparse_input_shape");
    }
    return OkStatus();
  }
  const absl::Span<const int64_t> sizes = Flat<int64_t>(shape);
  constexpr int64_t kLimit = std::numeric_limits<int32_t>::max();
  if (sizes[0] < 0 || sizes[1] < 0 || sizes[0] > kLimit ||
      sizes[1] > kLimit - columns_) {
    return errors::InvalidArgument("sparse_input_shape [", sizes[0], ", ",
                                   sizes[1], "] is out of range");
  }
  if (data.dims() == 2 && rows_ != sizes[0]) {
    return errors::InvalidArgument("input_data has ", rows_,
                                   " rows and sparse_input_shape ", sizes[0]);
  }
  rows_ = sizes[0];
  return ReadSparse(ctx, first);
}

Status ForestExamples::ReadSparse(OpKernelContext* ctx, int first) {
  const absl::Span<const int64_t> at = Flat<int64_t>(ctx->input(first + 1));
  const absl::Span<const float> values = Flat<float>(ctx->input(first + 2));
  const absl::Span<const int64_t> sizes = Flat<int64_t>(ctx->input(first + 3));
  if (at.size() != 2 * values.size()) {
    return errors::InvalidArgument("sparse_input_indices has ", at.size(),
                                   " numbers for ", values.size(), " values");
  }
  entries_.resize(values.size());
  for (size_t i = 0; i < values.size(); ++i) {
    const int64_t row = at[2 * i], column = at[2 * i + 1];
    if (row < 0 || row >= sizes[0] || column < 0 || column >= sizes[1]) {
      return errors::InvalidArgument("sparse_input_indices [", row, ", ",
                                     column, "] is not in shape [", sizes[0],
                                     ", ", sizes[1], "]");
    }
    entries_[i] = {row, column, values[i]};
  }
  if (!std::is_sorted(entries_.begin(), entries_.end())) {
    std::stable_sort(entries_.begin(), entries_.end());
  }
  return OkStatus();
}

absl::Span<const ForestExamples::Entry> ForestExamples::Row(int64_t row) const {
  const auto begin =
      std::lower_bound(entries_.begin(), entries_.end(), Entry{row, 0, 0});
  const auto end =
      std::lower_bound(begin, entries_.end(), Entry{row + 1, 0, 0});
  return absl::MakeConstSpan(entries_).subspan(begin - entries_.begin(),
                                               end - begin);
}

float ForestExamples::Value(int64_t row, int64_t feature) const {
  if (feature < columns_) return data_[row * columns_ + feature];
  const Entry wanted{row, feature - columns_, 0};
  const auto found = std::lower_bound(entries_.begin(), entries_.end(), wanted);
  const bool is_there = found != entries_.end() && !(wanted < *found);
  return is_there ? found->value : 0.0f;
}

int64_t ForestExamples::CountPresent(int64_t row) const {
  return columns_ + static_cast<int64_t>(Row(row).size());
}

std::pair<int32_t, float> ForestExamples::Present(int64_t row,
                                                  int64_t i) const {
  if (i < columns_) {
    return {static_cast<int32_t>(i), data_[row * columns_ + i]};
  }
  const Entry& entry = Row(row)[i - columns_];
  return {static_cast<int32_t>(columns_ + entry.column), entry.value};
}

Status ForestLabels::Read(OpKernelContext* ctx, int first, bool is_regression,
                          int num_outputs) {
  const Tensor& labels = ctx->input(first);
  labels_ = Flat<float>(labels);
  weights_ = Flat<float>(ctx->input(first + 1));
  width_ = labels.dims() == 2 ? labels.dim_size(1) : 1;
  const int64_t width = is_regression ? num_outputs : 1;
  if (width_ != width) {
    return errors::InvalidArgument("input_labels must have ", width,
                                   " columns, got shape ",
                                   labels.shape().DebugString());
  }
  for (const float label : labels_) {
    if (!std::isfinite(label)) {
      return errors::InvalidArgument("input_labels must be finite, got ",
                                     label);
    }
    if (!is_regression &&
        (label < 0 || label >= num_outputs || label != std::floor(label))) {
      return errors::InvalidArgument("input_labels must be classes 0 to ",
                                     num_outputs - 1, ", got ", label);
    }
  }
  for (const float weight : weights_) {
    if (!std::isfinite(weight) || weight < 0) {
      return errors::InvalidArgument(
          "input_weights must be finite and not negative, got ", weight);
    }
  }
  return OkStatus();
}

}  // namespace forest
}  // namespace tensorwright
