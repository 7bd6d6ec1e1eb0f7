// SPDX-License-Identifier: Apache-2.0
// The beam search.

#include "core/kernels/ctc/ctc_decoder_ops_beam.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "core/kernels/lib/reduction_ops_simd.h"

namespace tensorwright {
namespace {

template <typename T>
constexpr T kLogZero = -std::numeric_limits<T>::infinity();

// log(exp(a) + exp(b)).
template <typename T>
T AddLogs(T a, T b) {
  if (a == kLogZero<T>) return b;
  if (b == kLogZero<T>) return a;
  return std::max(a, b) + std::log1p(std::exp(-std::abs(a - b)));
}

// The most sequences; each takes some 200 bytes.
constexpr int64_t kMostSequences = int64_t{1} << 22;

// Puts the better of two first, in heaps and sorts.
constexpr auto kBetter = [](const auto& a, const auto& b) {
  return a.total > b.total;
};

}  // namespace

template <typename T>
CtcBeamSearch<T>::CtcBeamSearch(int64_t classes, int64_t width)
    : classes_(classes),
      width_(width),
      log_p_(classes),
      child_of_label_(classes, -1) {
  Reset();
}

template <typename T>
void CtcBeamSearch<T>::Reset() {
  nodes_.assign(1, {-1, -1, 0, 0});
  free_.clear();
  node_of_.clear();
  beam_.assign(1, {0, T(0), T(0), kLogZero<T>});
}

template <typename T>
bool CtcBeamSearch<T>::Step(const T* logits) {
  LogSoftmax(logits);
  candidates_.clear();
  Stay();
  Extend();
  if (static_cast<int64_t>(candidates_.size()) > kMostSequences) return false;
  Replace();
  return true;
}

template <typename T>
std::vector<int64_t> CtcBeamSearch<T>::Labels(int64_t i,
                                              bool merge_repeated) const {
  std::vector<int64_t> labels;
  int32_t behind = -1;
  for (int32_t n = beam_[i].node; nodes_[n].parent >= 0; n = nodes_[n].parent) {
    const int32_t label = nodes_[n].label;
    if (!merge_repeated || label != behind) labels.push_back(label);
    behind = label;
  }
  std::reverse(labels.begin(), labels.end());
  return labels;
}

template <typename T>
void CtcBeamSearch<T>::LogSoftmax(const T* logits) {
  const T largest = SimdReduce(SimdReduction::kMax, logits, classes_);
  const T sum = SimdExpAndSum(logits, largest, log_p_.data(), classes_);
  const T log_sum = std::log(sum);
  for (int64_t c = 0; c < classes_; ++c) {
    log_p_[c] = (logits[c] - largest) - log_sum;
  }
}

template <typename T>
void CtcBeamSearch<T>::Stay() {
  children_.resize(beam_.size());
  for (auto& entries : children_) entries.clear();
  next_ = beam_;
  stays_.assign(beam_.size(), true);
  extends_.assign(beam_.size(), true);
  for (size_t i = 0; i < beam_.size(); ++i) {
    const Entry& before = beam_[i];
    const Node& node = nodes_[before.node];
    Entry& after = next_[i];
    after.blank = before.total + log_p_[classes_ - 1];
    if (node.parent >= 0) {
      T label = before.label;
      // Comes from the parent in one step, if the beam has it.
      const int32_t parent = nodes_[node.parent].entry;
      if (parent >= 0) {
        const Entry& p = beam_[parent];
        const bool repeats = nodes_[p.node].label == node.label;
        label = AddLogs(label, repeats ? p.blank : p.total);
        children_[parent].push_back(static_cast<int32_t>(i));
      }
      after.label = label + log_p_[node.label];
    }
    after.total = AddLogs(after.blank, after.label);
    Offer(after.total, static_cast<int32_t>(i), -1);
  }
}

template <typename T>
void CtcBeamSearch<T>::Extend() {
  for (size_t i = 0; i < beam_.size(); ++i) {
    if (!extends_[i] || !Wanted(beam_[i].total)) continue;
    for (const int32_t child : children_[i]) {
      child_of_label_[nodes_[beam_[child].node].label] = child;
    }
    for (int64_t label = 0; label + 1 < classes_; ++label) {
      ExtendWith(static_cast<int32_t>(i), static_cast<int32_t>(label));
    }
    for (const int32_t child : children_[i]) {
      child_of_label_[nodes_[beam_[child].node].label] = -1;
    }
  }
}

template <typename T>
void CtcBeamSearch<T>::ExtendWith(int32_t from, int32_t label) {
  const Entry& entry = beam_[from];
  const int32_t child = child_of_label_[label];
  if (child >= 0 && stays_[child]) return;
  // A repeated label needs a blank before it.
  const bool repeats = nodes_[entry.node].label == label;
  const T total = log_p_[label] + (repeats ? entry.blank : entry.total);
  if (Wanted(total)) {
    Offer(total, from, label);
  } else if (child >= 0) {
    // The sequence is not probable enough, neither as it was nor as it would be
    // again; TensorFlow's search then forgets it, with all that could follow
    // from it.
    extends_[child] = false;
  }
}

template <typename T>
bool CtcBeamSearch<T>::Wanted(T total) const {
  return total > kLogZero<T> &&
         (static_cast<int64_t>(candidates_.size()) < width_ ||
          total > candidates_.front().total);
}

template <typename T>
void CtcBeamSearch<T>::Offer(T total, int32_t from, int32_t label) {
  if (static_cast<int64_t>(candidates_.size()) == width_) {
    std::pop_heap(candidates_.begin(), candidates_.end(), kBetter);
    const Candidate& worst = candidates_.back();
    if (worst.label < 0) stays_[worst.from] = false;
    candidates_.pop_back();
  }
  candidates_.push_back({total, from, label});
  std::push_heap(candidates_.begin(), candidates_.end(), kBetter);
}

template <typename T>
void CtcBeamSearch<T>::Replace() {
  std::vector<int32_t> before;
  for (const Entry& entry : beam_) {
    nodes_[entry.node].entry = -1;
    before.push_back(entry.node);
  }
  beam_.clear();
  std::stable_sort(candidates_.begin(), candidates_.end(), kBetter);
  for (const Candidate& c : candidates_) {
    Entry entry = next_[c.from];
    if (c.label >= 0) {
      entry.node = Child(entry.node, c.label);
      entry.total = entry.label = c.total;
      entry.blank = kLogZero<T>;
    }
    nodes_[entry.node].entry = static_cast<int32_t>(beam_.size());
    beam_.push_back(entry);
  }
  for (const int32_t node : before) Release(node);
}

// Finds or makes the node of a sequence with one more label.
template <typename T>
int32_t CtcBeamSearch<T>::Child(int32_t node, int32_t label) {
  const auto [found, added] =
      node_of_.try_emplace(std::make_pair(node, label), -1);
  if (!added) return found->second;
  int32_t child;
  if (free_.empty()) {
    child = static_cast<int32_t>(nodes_.size());
    nodes_.push_back({node, label});
  } else {
    child = free_.back();
    free_.pop_back();
    nodes_[child] = {node, label};
  }
  found->second = child;
  ++nodes_[node].children;
  return child;
}

// Frees a node that nothing needs, and then its parents.
template <typename T>
void CtcBeamSearch<T>::Release(int32_t node) {
  while (nodes_[node].parent >= 0 && nodes_[node].entry < 0 &&
         nodes_[node].children == 0) {
    const int32_t parent = nodes_[node].parent;
    node_of_.erase(std::make_pair(parent, nodes_[node].label));
    free_.push_back(node);
    nodes_[node].parent = -1;  // So it is not freed twice.
    --nodes_[parent].children;
    node = parent;
  }
}

template class CtcBeamSearch<float>;
template class CtcBeamSearch<double>;

}  // namespace tensorwright
