// SPDX-License-Identifier: Apache-2.0
// The tree of label sequences that a beam search walks.
#ifndef TENSORWRIGHT_CORE_COMPAT_UTIL_CTC_CTC_BEAM_ENTRY_H_
#define TENSORWRIGHT_CORE_COMPAT_UTIL_CTC_CTC_BEAM_ENTRY_H_

#include <algorithm>
#include <memory>
#include <type_traits>
#include <unordered_map>
#include <vector>

#include "core/compat/util/ctc/ctc_loss_util.h"

namespace tensorwright {
namespace ctc {
namespace ctc_beam_search {

// The state that a scorer keeps with each sequence, for scorers that keep none.
struct EmptyBeamState {};

// Logarithms of the probabilities of all alignments of a sequence, of those
// that end with a blank, and of those that end with its last label.
template <typename T = float>
struct BeamProbability {
  T total = kLogZero;
  T blank = kLogZero;
  T label = kLogZero;
  void Reset() { *this = BeamProbability(); }
};

// A sequence: its parent's, followed by `label`.  The root has label -1.
template <typename T, typename CTCBeamState>
struct BeamEntry {
  BeamEntry(BeamEntry* p, int l) : parent(p), label(l) {}

  bool Active() const { return newp.total != T(kLogZero); }
  BeamEntry& GetChild(int child_label) {
    std::unique_ptr<BeamEntry>& child = children[child_label];
    if (child == nullptr) {
      child = std::make_unique<BeamEntry>(this, child_label);
    }
    return *child;
  }
  // With `merge_repeated`, equal neighbours become one label.
  std::vector<int> LabelSeq(bool merge_repeated) const {
    std::vector<int> labels;
    int previous = -1;
    for (const BeamEntry* e = this; e->parent != nullptr; e = e->parent) {
      if (!merge_repeated || e->label != previous) labels.push_back(e->label);
      previous = e->label;
    }
    std::reverse(labels.begin(), labels.end());
    return labels;
  }

  BeamEntry* const parent;
  const int label;
  std::unordered_map<int, std::unique_ptr<BeamEntry>> children;
  BeamProbability<T> oldp, newp;  // Before and after this time step.
  CTCBeamState state;
};

// Puts the better one of two first.
template <typename T, typename CTCBeamState>
struct BeamComparer {
  bool operator()(const BeamEntry<T, CTCBeamState>* a,
                  const BeamEntry<T, CTCBeamState>* b) const {
    return a->newp.total > b->newp.total;
  }
};

// TensorFlow 1.x's templates begin with the state, all of 2.x's with the type
// of the probabilities: this accepts both orders, and either may be left out.
template <typename F, typename S = EmptyBeamState,
          typename C = BeamComparer<F, S>>
struct BeamTypesOf {
  using T = F;
  using State = S;
  using Comparer = C;
};
template <bool kTypeFirst, typename... Args>
struct BeamTypesInOrder : BeamTypesOf<Args...> {};
template <typename... Args>
struct BeamTypesInOrder<false, Args...> : BeamTypesOf<float, Args...> {};

template <typename... Args>
struct BeamTypes : BeamTypesOf<float> {};
template <typename First, typename... Rest>
struct BeamTypes<First, Rest...>
    : BeamTypesInOrder<std::is_floating_point<First>::value, First, Rest...> {};

}  // namespace ctc_beam_search
}  // namespace ctc
}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_COMPAT_UTIL_CTC_CTC_BEAM_ENTRY_H_
