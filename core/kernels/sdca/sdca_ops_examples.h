// SPDX-License-Identifier: Apache-2.0
// The examples and weights of one call of SdcaOptimizer, in a form that a step
// reads quickly: each example has one list of (weight, value) pairs for all
// groups of sparse features, and all weights are one vector.
#ifndef TENSORWRIGHT_CORE_KERNELS_SDCA_SDCA_OPS_EXAMPLES_H_
#define TENSORWRIGHT_CORE_KERNELS_SDCA_SDCA_OPS_EXAMPLES_H_

#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "core/framework/op_kernel.h"
#include "core/lib/core/status.h"

namespace tensorwright {

// Returns a weight moved towards 0 by `by`, and not past it: the solution of a
// problem with an l1 penalty.
inline float Shrink(float weight, float by) {
  const float size = weight < 0 ? -weight : weight;
  const float left = size <= by ? 0.0f : size - by;  // NaN stays NaN.
  return weight < 0 ? -left : left;
}

// Borrows the context's inputs.  Used by one thread.
class SdcaExamples {
 public:
  // Reads the inputs by their names.  InvalidArgument for an example index that
  // is out of range or out of order, a feature that has no weight, or one that
  // an example has twice.  The shape function has checked the shapes.
  Status Read(OpKernelContext* ctx);

  int64_t size() const { return static_cast<int64_t>(labels_.size()); }
  float label(int64_t i) const { return labels_[i]; }
  float weight(int64_t i) const { return example_weights_[i]; }
  // Returns |x_i|^2.
  double squared_norm(int64_t i) const { return squared_norms_[i]; }

  // x_i . shrink(w), with the original weights, and with `parts` times the
  // changes added to them.
  struct Predictions {
    double before = 0;
    double now = 0;
  };
  Predictions Predict(int64_t i, float shrinkage, float parts) const;
  // Adds `by` x_i to the changes.
  void Add(int64_t i, double by);

  // Writes outputs "out_delta_sparse_weights" and "out_delta_dense_weights".
  Status WriteDeltas(OpKernelContext* ctx) const;

 private:
  // Weights [begin, begin + n) belong to input tensor `weights`.
  struct Group {
    const Tensor* weights;
    int64_t begin;
  };
  // features: [examples, columns], for weights [begin, begin + columns).
  struct Dense {
    const float* features;
    int64_t columns;
    int64_t begin;
  };
  // A sparse feature of an example.
  struct Entry {
    int64_t weight;
    float value;
  };

  void AddWeights(const OpInputList& weights, std::vector<Group>* groups);
  Status CountEntries(const OpInputList& examples);
  Status ReadGroup(const Group& group, const Tensor& examples,
                   const Tensor& features, const float* values,
                   const Tensor& indices, std::vector<int64_t>* next);
  void ComputeNorms();

  absl::Span<const float> labels_, example_weights_;
  std::vector<float> weights_, deltas_;
  std::vector<Group> sparse_groups_, dense_groups_;
  // The first entry of each example; [examples + 1].
  std::vector<int64_t> begins_;
  std::vector<Entry> entries_;
  std::vector<Dense> dense_;
  std::vector<double> squared_norms_;
};

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_KERNELS_SDCA_SDCA_OPS_EXAMPLES_H_
