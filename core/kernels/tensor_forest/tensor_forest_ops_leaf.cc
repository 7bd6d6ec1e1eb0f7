// SPDX-License-Identifier: Apache-2.0
// How a leaf draws, counts, prunes and compares its candidates.

#include "core/kernels/tensor_forest/tensor_forest_ops_leaf.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "core/lib/core/errors.h"
#include "core/lib/hash/hash.h"
#include "core/lib/random/philox_random.h"

namespace tensorwright {
namespace forest {
namespace {

// Drawing ends after so many tries for each candidate, because examples of few
// different values have no more.
constexpr int64_t kTriesPerCandidate = 2;
// At least this part of split_after_samples is counted by all candidates.
constexpr double kCountedPart = 0.5;

// Counts of a leaf are no larger when they are read, so they do not overflow.
constexpr int32_t kMaxCount = 1 << 30;

// The purposes of random numbers.
enum Purpose : int32_t { kProposal, kBootstrap };

random::PhiloxRandom Stream(uint64_t seed, Purpose purpose, int32_t node,
                            int32_t generation, int32_t count) {
  const int32_t key[] = {purpose, node, generation, count};
  return random::PhiloxRandom(
      seed, Hash64(reinterpret_cast<const char*>(key), sizeof(key)));
}

void WriteSums(const Sums& sums, tensorforest::LeafStat* proto) {
  proto->mutable_sums()->Add(sums.begin(), sums.end());
}

Status ReadSums(const tensorforest::LeafStat& proto, Sums* sums) {
  if (static_cast<size_t>(proto.sums_size()) != sums->size()) {
    return errors::InvalidArgument("FertileStats: a leaf must have ",
                                   sums->size(), " sums, got ",
                                   proto.sums_size());
  }
  sums->assign(proto.sums().begin(), proto.sums().end());
  for (const double sum : *sums) {
    if (!std::isfinite(sum)) {
      return errors::InvalidArgument("FertileStats: sums must be finite, got ",
                                     sum);
    }
  }
  return OkStatus();
}

}  // namespace

FertileLeaf::FertileLeaf(const ForestParams& params, int32_t node, int depth)
    : node_(node),
      depth_(depth),
      sums_(NoSums(params)),
      counted_(NoSums(params)) {}

bool FertileLeaf::Add(const GrowthContext& context, int64_t row,
                      absl::Span<const float> labels, double weight) {
  if (weight == 0) return false;
  const ForestParams& params = context.params;
  AddExample(params, labels, weight, &sums_);
  if (IsCollecting(params)) {
    Propose(context, row);
    return false;
  }
  AddExample(params, labels, weight, &counted_);
  for (Candidate& candidate : candidates_) {
    const float value = context.examples.Value(row, candidate.split.feature);
    if (candidate.split.GoesLeft(value)) {
      AddExample(params, labels, weight, &candidate.left);
    }
  }
  const double every = params.PruneEverySamples(depth_);
  if (every > 0 && counted_[0] - pruned_at_ >= every) {
    pruned_at_ = counted_[0];
    Prune(params);
  }
  return IsFinished(context);
}

void FertileLeaf::AddToSums(const ForestParams& params,
                            absl::Span<const float> labels, double weight) {
  AddExample(params, labels, weight, &sums_);
  candidates_ = {};
}

bool FertileLeaf::IsCollecting(const ForestParams& params) const {
  if (counted_[0] > 0) return false;
  const int64_t wanted = params.NumSplits(depth_);
  return static_cast<int64_t>(candidates_.size()) < wanted &&
         proposals_ < kTriesPerCandidate * wanted;
}

void FertileLeaf::Propose(const GrowthContext& context, int64_t row) {
  using tensorforest::TensorForestParams;
  const TensorForestParams& params = context.params.proto();
  if (is_pending_) {
    is_pending_ = false;
    const float other = context.examples.Value(row, pending_feature_);
    Split split;
    split.feature = pending_feature_;
    split.threshold = pending_value_ / 2 + other / 2;
    split.test = static_cast<Split::Test>(params.inequality_test_type());
    AddCandidate(context.params, split);
    return;
  }
  random::PhiloxRandom generator =
      Stream(context.seed, kProposal, node_, generation_, proposals_++);
  const int64_t present = context.examples.CountPresent(row);
  if (present == 0) return;
  random::SimplePhilox random(&generator);
  const auto [feature, value] = context.examples.Present(
      row, static_cast<int64_t>(random.Uniform64(present)));
  const bool is_category = context.examples.IsCategory(context.kinds, feature);
  if (params.initialize_average_splits() && !is_category) {
    is_pending_ = true;
    pending_feature_ = feature;
    pending_value_ = value;
    return;
  }
  Split split;
  split.feature = feature;
  split.threshold = value;
  split.test = is_category
                   ? Split::kEqual
                   : static_cast<Split::Test>(params.inequality_test_type());
  AddCandidate(context.params, split);
}

void FertileLeaf::AddCandidate(const ForestParams& params, const Split& split) {
  if (std::isnan(split.threshold)) return;
  for (const Candidate& candidate : candidates_) {
    if (candidate.split == split) return;
  }
  candidates_.push_back({split, NoSums(params)});
}

std::vector<double> FertileLeaf::Scores(const ForestParams& params) const {
  std::vector<double> scores;
  for (const Candidate& candidate : candidates_) {
    scores.push_back(Score(params, candidate.left, counted_));
  }
  return scores;
}

void FertileLeaf::Prune(const ForestParams& params) {
  const std::vector<double> scores = Scores(params);
  if (scores.size() < 2) return;
  const auto prune_at_least = [&](double limit) {
    size_t kept = 0;
    for (size_t i = 0; i < candidates_.size(); ++i) {
      if (scores[i] >= limit) continue;
      if (kept != i) candidates_[kept] = std::move(candidates_[i]);
      ++kept;
    }
    if (kept > 0) candidates_.resize(kept);
  };
  double part = 0;
  switch (params.proto().pruning_type().type()) {
    case tensorforest::SPLIT_PRUNE_HALF:
      part = 0.5;
      break;
    case tensorforest::SPLIT_PRUNE_QUARTER:
      part = 0.25;
      break;
    case tensorforest::SPLIT_PRUNE_10_PERCENT:
      part = 0.1;
      break;
    case tensorforest::SPLIT_PRUNE_HOEFFDING: {
      const double best = *std::min_element(scores.begin(), scores.end());
      prune_at_least(best + HoeffdingBound(params,
                                           params.DominateFraction(depth_),
                                           counted_[0]));
      return;
    }
    default:
      return;
  }
  std::vector<size_t> order(scores.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return scores[a] < scores[b]; });
  const auto pruned =
      static_cast<size_t>(part * static_cast<double>(order.size()));
  order.resize(order.size() - pruned);
  std::sort(order.begin(), order.end());
  std::vector<Candidate> kept;
  for (const size_t i : order) kept.push_back(std::move(candidates_[i]));
  candidates_ = std::move(kept);
}

bool FertileLeaf::IsFinished(const GrowthContext& context) {
  const ForestParams& params = context.params;
  if (!IsImpure(params, counted_)) return false;
  const double enough = params.SplitAfterSamples(depth_);
  if (sums_[0] >= enough && counted_[0] >= kCountedPart * enough) return true;
  if (params.proto().finish_type().type() == tensorforest::SPLIT_FINISH_BASIC) {
    return false;
  }
  const double every = params.CompareEverySamples(depth_);
  if (every <= 0 || counted_[0] - compared_at_ < every) return false;
  compared_at_ = counted_[0];
  return Dominates(context);
}

bool FertileLeaf::Dominates(const GrowthContext& context) {
  const ForestParams& params = context.params;
  const std::vector<double> scores = Scores(params);
  if (scores.size() < 2) return false;
  size_t best = 0, second = 1;
  if (scores[second] < scores[best]) std::swap(best, second);
  for (size_t i = 2; i < scores.size(); ++i) {
    if (scores[i] < scores[best]) {
      second = std::exchange(best, i);
    } else if (scores[i] < scores[second]) {
      second = i;
    }
  }
  if (!std::isfinite(scores[best])) return false;
  const double fraction = params.DominateFraction(depth_);
  if (params.proto().finish_type().type() ==
      tensorforest::SPLIT_FINISH_DOMINATE_HOEFFDING) {
    // A candidate that divides nothing leaves the whole impurity.
    const double other =
        std::min(scores[second], Impurity(params, counted_) / counted_[0]);
    return other - scores[best] > HoeffdingBound(params, fraction, counted_[0]);
  }
  random::PhiloxRandom generator =
      Stream(context.seed, kBootstrap, node_, generation_, comparisons_++);
  random::SimplePhilox random(&generator);
  return WinsBootstrap(params, candidates_[best].left, candidates_[second].left,
                       counted_, fraction, &random);
}

bool FertileLeaf::Best(const ForestParams& params, Split* split,
                       LeafModel* left, LeafModel* right) const {
  const std::vector<double> scores = Scores(params);
  const auto best = std::min_element(scores.begin(), scores.end());
  if (best == scores.end() || !std::isfinite(*best)) return false;
  const Candidate& candidate = candidates_[best - scores.begin()];
  *split = candidate.split;
  *left = ToModel(params, candidate.left);
  *right = ToModel(params, Rest(counted_, candidate.left));
  return true;
}

void FertileLeaf::Reset(const ForestParams& params) {
  const int32_t generation = generation_ + 1;
  *this = FertileLeaf(params, node_, depth_);
  generation_ = generation;
}

void FertileLeaf::ToProto(tensorforest::FertileSlot* proto) const {
  proto->set_node_id(node_);
  WriteSums(sums_, proto->mutable_leaf_stats());
  WriteSums(counted_, proto->mutable_post_init_leaf_stats());
  for (const Candidate& candidate : candidates_) {
    tensorforest::SplitCandidate* saved = proto->add_candidates();
    candidate.split.ToProto(saved->mutable_split());
    WriteSums(candidate.left, saved->mutable_left_stats());
  }
  proto->set_depth(depth_);
  proto->set_proposals(proposals_);
  proto->set_generation(generation_);
  proto->set_pending_feature(pending_feature_);
  proto->set_pending_value(pending_value_);
  proto->set_is_pending(is_pending_);
  proto->set_pruned_at(pruned_at_);
  proto->set_compared_at(compared_at_);
  proto->set_comparisons(comparisons_);
}

Status FertileLeaf::FromProto(const ForestParams& params,
                              const tensorforest::FertileSlot& proto) {
  TF_RETURN_IF_ERROR(ReadSums(proto.leaf_stats(), &sums_));
  TF_RETURN_IF_ERROR(ReadSums(proto.post_init_leaf_stats(), &counted_));
  for (const auto& saved : proto.candidates()) {
    Candidate candidate{{}, NoSums(params)};
    TF_RETURN_IF_ERROR(candidate.split.FromProto(saved.split()));
    TF_RETURN_IF_ERROR(ReadSums(saved.left_stats(), &candidate.left));
    candidates_.push_back(std::move(candidate));
  }
  for (const int32_t count :
       {proto.proposals(), proto.generation(), proto.comparisons()}) {
    if (count < 0 || count > kMaxCount) {
      return errors::InvalidArgument("FertileStats: counts must be in [0, ",
                                     kMaxCount, "], got ", count);
    }
  }
  proposals_ = proto.proposals();
  generation_ = proto.generation();
  is_pending_ = proto.is_pending();
  pending_feature_ = std::max(0, proto.pending_feature());
  pending_value_ = proto.pending_value();
  pruned_at_ = proto.pruned_at();
  compared_at_ = proto.compared_at();
  comparisons_ = proto.comparisons();
  return OkStatus();
}

Status FertileStatsResource::CheckKind(const ForestParams& params) const {
  // All leaves come from ops that have asked this.
  if (!leaves.empty() &&
      leaves.begin()->second.sums().size() != NoSums(params).size()) {
    return errors::InvalidArgument(
        "The statistics were made with other num_outputs or is_regression "
        "than params have");
  }
  return OkStatus();
}

Status FertileStatsResource::FromString(const ForestParams& params,
                                        const std::string& serialized) {
  tensorforest::FertileStats proto;
  if (!proto.ParseFromString(serialized)) {
    return errors::InvalidArgument(
        "stats_config is no serialized FertileStats");
  }
  std::map<int32_t, FertileLeaf> made;
  for (const auto& slot : proto.slots()) {
    FertileLeaf leaf(params, slot.node_id(), slot.depth());
    TF_RETURN_IF_ERROR(leaf.FromProto(params, slot));
    made.insert_or_assign(slot.node_id(), std::move(leaf));
  }
  leaves = std::move(made);
  return OkStatus();
}

Status FertileStatsResource::ToString(std::string* serialized) const {
  tensorforest::FertileStats proto;
  for (const auto& [node, leaf] : leaves) leaf.ToProto(proto.add_slots());
  const size_t bytes = proto.ByteSizeLong();
  if (bytes > size_t{std::numeric_limits<int>::max()} ||
      !proto.SerializeToString(serialized)) {
    return errors::InvalidArgument(
        "The statistics are larger than a proto may be: ", bytes, " bytes");
  }
  return OkStatus();
}

}  // namespace forest
}  // namespace tensorwright
