// SPDX-License-Identifier: Apache-2.0
// Statistics of the examples in a leaf, and how well a split divides them.
//
// A vector of sums has the weight of the examples first; then the weight of
// each class, or, for each output of a regression, the weighted sum of its
// values and that of their squares.  Those of two sets of examples add up.
#ifndef TENSORWRIGHT_CORE_KERNELS_TENSOR_FOREST_TENSOR_FOREST_OPS_SCORES_H_
#define TENSORWRIGHT_CORE_KERNELS_TENSOR_FOREST_TENSOR_FOREST_OPS_SCORES_H_

#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "core/kernels/tensor_forest/tensor_forest_ops_params.h"
#include "core/kernels/tensor_forest/tensor_forest_ops_tree.h"
#include "core/lib/random/simple_philox.h"

namespace tensorwright {
namespace forest {

using Sums = std::vector<double>;

Sums NoSums(const ForestParams& params);
// Adds one example; `labels` are a class, or num_outputs numbers.
void AddExample(const ForestParams& params, absl::Span<const float> labels,
                double weight, Sums* sums);
// all - part.
Sums Rest(const Sums& all, const Sums& part);
LeafModel ToModel(const ForestParams& params, const Sums& sums);

// The weight times the Gini impurity, 1 - sum of squares of the classes' parts,
// or times the sum of the outputs' variances; 0 without examples.
double Impurity(const ForestParams& params, const Sums& sums);
// Does it matter how these examples are divided?
bool IsImpure(const ForestParams& params, const Sums& sums);
// The mean impurity of the two sides of a split, infinite if one is empty: less
// is better.
double Score(const ForestParams& params, const Sums& left, const Sums& all);

// Hoeffding's bound: with probability `fraction`, the mean of so much weight of
// Gini impurities is no further from the expected one.
double HoeffdingBound(const ForestParams& params, double fraction,
                      double weight);
// Is `best` better than `other` in at least `fraction` of bootstrap samples of
// both, drawn from the sides and classes of the examples?
bool WinsBootstrap(const ForestParams& params, const Sums& best,
                   const Sums& other, const Sums& all, double fraction,
                   random::SimplePhilox* random);

}  // namespace forest
}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_KERNELS_TENSOR_FOREST_TENSOR_FOREST_OPS_SCORES_H_
