// SPDX-License-Identifier: Apache-2.0
// Reads examples, and loops over their features.

#include "core/kernels/sdca/sdca_ops_examples.h"

#include <algorithm>

#include "absl/container/flat_hash_map.h"
#include "core/framework/bounds_check.h"
#include "core/framework/tensor.h"
#include "core/kernels/lib/wide_loops.h"
#include "core/lib/core/errors.h"

namespace tensorwright {
namespace {

// Sums use so many lanes, from which the compiler makes vectors.
constexpr int64_t kLanes = 16;

double SumOfLanes(const float* lanes) {
  double sum = 0;
  for (int64_t j = 0; j < kLanes; ++j) sum += lanes[j];
  return sum;
}

// before = x . shrink(w), now = x . shrink(w + parts delta).
struct PredictLoop {
  TW_WIDE_LOOP static void Run(const float* x, const float* w,
                               const float* delta, int64_t n, float shrinkage,
                               float parts, double* before, double* now) {
    float was[kLanes] = {}, is[kLanes] = {};
    int64_t i = 0;
    for (; i + kLanes <= n; i += kLanes) {
      for (int64_t j = 0; j < kLanes; ++j) {
        const float weight = w[i + j];
        was[j] += x[i + j] * Shrink(weight, shrinkage);
        is[j] += x[i + j] * Shrink(weight + parts * delta[i + j], shrinkage);
      }
    }
    for (; i < n; ++i) {
      was[0] += x[i] * Shrink(w[i], shrinkage);
      is[0] += x[i] * Shrink(w[i] + parts * delta[i], shrinkage);
    }
    *before += SumOfLanes(was);
    *now += SumOfLanes(is);
  }
};

struct AddLoop {
  TW_WIDE_LOOP static void Run(const float* x, float by, int64_t n,
                               float* delta) {
    TW_VECTORIZE
    for (int64_t i = 0; i < n; ++i) delta[i] += by * x[i];
  }
};

struct SquareLoop {
  TW_WIDE_LOOP static double Run(const float* x, int64_t n) {
    float sums[kLanes] = {};
    int64_t i = 0;
    for (; i + kLanes <= n; i += kLanes) {
      for (int64_t j = 0; j < kLanes; ++j) sums[j] += x[i + j] * x[i + j];
    }
    for (; i < n; ++i) sums[0] += x[i] * x[i];
    return SumOfLanes(sums);
  }
};

}  // namespace

Status SdcaExamples::Read(OpKernelContext* ctx) {
  OpInputList examples, features, values, dense, indices, sparse_weights,
      dense_weights;
  TF_RETURN_IF_ERROR(ctx->input_list("sparse_example_indices", &examples));
  TF_RETURN_IF_ERROR(ctx->input_list("sparse_feature_indices", &features));
  TF_RETURN_IF_ERROR(ctx->input_list("sparse_feature_values", &values));
  TF_RETURN_IF_ERROR(ctx->input_list("dense_features", &dense));
  TF_RETURN_IF_ERROR(ctx->input_list("sparse_indices", &indices));
  TF_RETURN_IF_ERROR(ctx->input_list("sparse_weights", &sparse_weights));
  TF_RETURN_IF_ERROR(ctx->input_list("dense_weights", &dense_weights));
  const Tensor *labels = nullptr, *weights = nullptr;
  TF_RETURN_IF_ERROR(ctx->input("example_labels", &labels));
  TF_RETURN_IF_ERROR(ctx->input("example_weights", &weights));
  labels_ = Flat<float>(*labels);
  example_weights_ = Flat<float>(*weights);

  AddWeights(sparse_weights, &sparse_groups_);
  AddWeights(dense_weights, &dense_groups_);
  deltas_.assign(weights_.size(), 0.0f);
  TF_RETURN_IF_ERROR(CountEntries(examples));
  std::vector<int64_t> next(begins_.begin(), begins_.end() - 1);
  for (int g = 0; g < examples.size(); ++g) {
    const float* of_group =
        g < values.size() ? values[g].base<float>() : nullptr;
    TF_RETURN_IF_ERROR(ReadGroup(sparse_groups_[g], examples[g], features[g],
                                 of_group, indices[g], &next));
  }
  for (int g = 0; g < dense.size(); ++g) {
    dense_.push_back(
        {dense[g].base<float>(), dense[g].dim_size(1), dense_groups_[g].begin});
  }
  ComputeNorms();
  return OkStatus();
}

void SdcaExamples::AddWeights(const OpInputList& weights,
                              std::vector<Group>* groups) {
  for (int g = 0; g < weights.size(); ++g) {
    groups->push_back({&weights[g], static_cast<int64_t>(weights_.size())});
    const absl::Span<const float> values = Flat<float>(weights[g]);
    weights_.insert(weights_.end(), values.begin(), values.end());
  }
}

// Checks the examples of all entries, and makes room for them.
Status SdcaExamples::CountEntries(const OpInputList& examples) {
  begins_.assign(size() + 1, 0);
  for (const Tensor& group : examples) {
    int64_t last = 0;
    for (const int64_t example : Flat<int64_t>(group)) {
      if (!FastBoundsCheck(example, size())) {
        return errors::InvalidArgument(
            "SdcaOptimizer: sparse_example_indices has ", example,
            ", which is not in [0, ", size(), ")");
      }
      if (example < last) {
        return errors::InvalidArgument(
            "SdcaOptimizer: sparse_example_indices must not decrease, got ",
            example, " after ", last);
      }
      last = example;
      ++begins_[example + 1];
    }
  }
  for (int64_t i = 0; i < size(); ++i) begins_[i + 1] += begins_[i];
  entries_.resize(begins_.back());
  return OkStatus();
}

// Puts the entries of a group at the places `next`, which it moves on.
Status SdcaExamples::ReadGroup(const Group& group, const Tensor& examples,
                               const Tensor& features, const float* values,
                               const Tensor& indices,
                               std::vector<int64_t>* next) {
  const absl::Span<const int64_t> known = Flat<int64_t>(indices);
  absl::flat_hash_map<int64_t, int64_t> places;
  places.reserve(known.size());
  for (size_t i = 0; i < known.size(); ++i) {
    places[known[i]] = static_cast<int64_t>(i);
  }
  // The last example that had each feature, plus one.
  std::vector<int64_t> had(known.size(), 0);
  const int64_t* example = examples.base<int64_t>();
  const int64_t* feature = features.base<int64_t>();
  for (int64_t i = 0; i < examples.NumElements(); ++i) {
    const auto found = places.find(feature[i]);
    if (found == places.end()) {
      return errors::InvalidArgument("SdcaOptimizer: feature ", feature[i],
                                     " of example ", example[i],
                                     " has no weight in sparse_indices");
    }
    const int64_t place = found->second;
    if (had[place] == example[i] + 1) {
      return errors::InvalidArgument("SdcaOptimizer: example ", example[i],
                                     " has feature ", feature[i], " twice");
    }
    had[place] = example[i] + 1;
    entries_[(*next)[example[i]]++] = {group.begin + place,
                                       values == nullptr ? 1.0f : values[i]};
  }
  return OkStatus();
}

void SdcaExamples::ComputeNorms() {
  squared_norms_.resize(size());
  for (int64_t i = 0; i < size(); ++i) {
    double sum = 0;
    for (int64_t k = begins_[i]; k < begins_[i + 1]; ++k) {
      sum += static_cast<double>(entries_[k].value) * entries_[k].value;
    }
    for (const Dense& d : dense_) {
      sum += RunWide<SquareLoop>(d.features + i * d.columns, d.columns);
    }
    squared_norms_[i] = sum;
  }
}

SdcaExamples::Predictions SdcaExamples::Predict(int64_t i, float shrinkage,
                                                float parts) const {
  Predictions out;
  for (int64_t k = begins_[i]; k < begins_[i + 1]; ++k) {
    const double value = entries_[k].value;
    const float weight = weights_[entries_[k].weight];
    const float changed = weight + parts * deltas_[entries_[k].weight];
    out.before += value * Shrink(weight, shrinkage);
    out.now += value * Shrink(changed, shrinkage);
  }
  for (const Dense& d : dense_) {
    RunWide<PredictLoop>(d.features + i * d.columns, weights_.data() + d.begin,
                         deltas_.data() + d.begin, d.columns, shrinkage, parts,
                         &out.before, &out.now);
  }
  return out;
}

void SdcaExamples::Add(int64_t i, double by) {
  for (int64_t k = begins_[i]; k < begins_[i + 1]; ++k) {
    deltas_[entries_[k].weight] += static_cast<float>(entries_[k].value * by);
  }
  for (const Dense& d : dense_) {
    RunWide<AddLoop>(d.features + i * d.columns, static_cast<float>(by),
                     d.columns, deltas_.data() + d.begin);
  }
}

Status SdcaExamples::WriteDeltas(OpKernelContext* ctx) const {
  const auto write = [&](const char* name, const std::vector<Group>& groups) {
    OpOutputList out;
    TF_RETURN_IF_ERROR(ctx->output_list(name, &out));
    for (int g = 0; g < out.size(); ++g) {
      Tensor* delta = nullptr;
      TF_RETURN_IF_ERROR(out.allocate(g, groups[g].weights->shape(), &delta));
      std::copy_n(deltas_.begin() + groups[g].begin, delta->NumElements(),
                  delta->base<float>());
    }
    return OkStatus();
  };
  TF_RETURN_IF_ERROR(write("out_delta_sparse_weights", sparse_groups_));
  return write("out_delta_dense_weights", dense_groups_);
}

}  // namespace tensorwright
