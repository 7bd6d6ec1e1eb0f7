// SPDX-License-Identifier: Apache-2.0
// BaseBeamScorer: what a language model or dictionary tells a beam search.
#ifndef TENSORWRIGHT_CORE_COMPAT_UTIL_CTC_CTC_BEAM_SCORER_H_
#define TENSORWRIGHT_CORE_COMPAT_UTIL_CTC_CTC_BEAM_SCORER_H_

#include "core/compat/util/ctc/ctc_beam_entry.h"

namespace tensorwright {
namespace ctc {

// Scores are logarithms.  This one has no opinion: every method may be
// overridden.
template <typename... Args>
class BaseBeamScorer {
 public:
  using T = typename ctc_beam_search::BeamTypes<Args...>::T;
  using CTCBeamState = typename ctc_beam_search::BeamTypes<Args...>::State;

  virtual ~BaseBeamScorer() = default;
  // Of the empty sequence.
  virtual void InitializeState(CTCBeamState* /*root*/) const {}
  // A sequence that ends with `from_label` gets `to_label` behind.
  virtual void ExpandState(const CTCBeamState& /*from_state*/,
                           int /*from_label*/, CTCBeamState* /*to_state*/,
                           int /*to_label*/) const {}
  // A sequence is complete.
  virtual void ExpandStateEnd(CTCBeamState* /*state*/) const {}
  // `previous_score` with what the last ExpandState() of `state` is worth.
  virtual T GetStateExpansionScore(const CTCBeamState& /*state*/,
                                   T previous_score) const {
    return previous_score;
  }
  // What ExpandStateEnd() of `state` is worth.
  virtual T GetStateEndExpansionScore(const CTCBeamState& /*state*/) const {
    return 0;
  }
};

}  // namespace ctc
}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_COMPAT_UTIL_CTC_CTC_BEAM_SCORER_H_
