// SPDX-License-Identifier: Apache-2.0
// A leaf that may grow: the statistics of its examples, and of the candidates
// for its split.
//
// A leaf makes each candidate from an example of its own: a feature that is
// drawn, and that example's value (Geurts et al. 2006, grown online as by Denil
// et al. 2013).  It then counts which examples go left by each, until it has
// seen enough, or one candidate is surely the best (Domingos and Hulten 2000).
#ifndef TENSORWRIGHT_CORE_KERNELS_TENSOR_FOREST_TENSOR_FOREST_OPS_LEAF_H_
#define TENSORWRIGHT_CORE_KERNELS_TENSOR_FOREST_TENSOR_FOREST_OPS_LEAF_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "core/framework/resource_mgr.h"
#include "core/kernels/tensor_forest/tensor_forest_ops_data.h"
#include "core/kernels/tensor_forest/tensor_forest_ops_params.h"
#include "core/kernels/tensor_forest/tensor_forest_ops_scores.h"
#include "core/kernels/tensor_forest/tensor_forest_ops_tree.h"
#include "core/lib/core/status.h"
#include "core/platform/mutex.h"

namespace tensorwright {
namespace forest {

// The random numbers of a node depend on `seed`, its number and how many were
// drawn there, so a tree that is restored grows as the one that was saved.
struct GrowthContext {
  const ForestParams& params;
  const FeatureKinds& kinds;
  const ForestExamples& examples;
  uint64_t seed;
};

// Not thread-safe.
class FertileLeaf {
 public:
  FertileLeaf(const ForestParams& params, int32_t node, int depth);

  // Adds example `row`.  Returns whether the leaf should be split.
  bool Add(const GrowthContext& context, int64_t row,
           absl::Span<const float> labels, double weight);
  // Adds it to the sums alone: the tree has no room to grow.
  void AddToSums(const ForestParams& params, absl::Span<const float> labels,
                 double weight);

  // The best candidate and what its sides would say; false if there is none
  // that divides the examples.
  bool Best(const ForestParams& params, Split* split, LeafModel* left,
            LeafModel* right) const;
  // Gives up candidates and sums; others are drawn afterwards.
  void Reset(const ForestParams& params);

  int32_t node() const { return node_; }
  // All examples.
  const Sums& sums() const { return sums_; }

  void ToProto(tensorforest::FertileSlot* proto) const;
  // InvalidArgument if sums have another size than `params` say, or are not
  // finite.
  Status FromProto(const ForestParams& params,
                   const tensorforest::FertileSlot& proto);

 private:
  struct Candidate {
    Split split;
    Sums left;
  };

  bool IsCollecting(const ForestParams& params) const;
  void Propose(const GrowthContext& context, int64_t row);
  void AddCandidate(const ForestParams& params, const Split& split);
  // The scores of all candidates.
  std::vector<double> Scores(const ForestParams& params) const;
  void Prune(const ForestParams& params);
  bool IsFinished(const GrowthContext& context);
  // Is the best candidate better than the second, as sure as must be?
  bool Dominates(const GrowthContext& context);

  int32_t node_;
  int depth_;
  Sums sums_;
  Sums counted_;  // Examples since the last candidate was made.
  std::vector<Candidate> candidates_;
  int32_t proposals_ = 0;
  int32_t generation_ = 0;
  int32_t comparisons_ = 0;
  // Half a candidate, whose threshold will lie between two examples.
  bool is_pending_ = false;
  int32_t pending_feature_ = 0;
  float pending_value_ = 0;
  // counted_[0] when the candidates were last pruned and compared.
  double pruned_at_ = 0;
  double compared_at_ = 0;
};

// The resource behind a statistics' handle: the fertile leaves of one tree.
class FertileStatsResource final : public ResourceBase {
 public:
  std::string DebugString() const override { return "FertileStats"; }

  // InvalidArgument if leaves were made with other outputs than `params` have.
  Status CheckKind(const ForestParams& params) const
      TF_EXCLUSIVE_LOCKS_REQUIRED(mu);
  // Replaces all leaves by those of a serialized FertileStats; none if it is
  // empty.
  Status FromString(const ForestParams& params, const std::string& serialized)
      TF_EXCLUSIVE_LOCKS_REQUIRED(mu);
  Status ToString(std::string* serialized) const
      TF_EXCLUSIVE_LOCKS_REQUIRED(mu);

  mutable mutex mu;
  std::map<int32_t, FertileLeaf> leaves TF_GUARDED_BY(mu);
};

}  // namespace forest
}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_KERNELS_TENSOR_FOREST_TENSOR_FOREST_OPS_LEAF_H_
