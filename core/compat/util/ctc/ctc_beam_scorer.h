// SPDX-License-Identifier: Apache-2.0
// BaseBeamScorer: the advice of a language model or dictionary to a beam
// search.
#ifndef TENSORWRIGHT_CORE_COMPAT_UTIL_CTC_CTC_BEAM_SCORER_H_
#define TENSORWRIGHT_CORE_COMPAT_UTIL_CTC_CTC_BEAM_SCORER_H_

#include "core/compat/util/ctc/ctc_beam_entry.h"

namespace tensorwright {
namespace ctc {

// Scores are logarithms.  This class scores nothing: every method may be
// overridden.
template <typename... Args>
class BaseBeamScorer {
 public:
  using T = typename ctc_beam_search::BeamTypes<Args...>::T;
  using CTCBeamState = typename ctc_beam_search::BeamTypes<Args...>::State;

  virtual ~BaseBeamScorer() = default;
  // Sets the state of the empty sequence.
  virtual void InitializeState(CTCBeamState* /*root*/) const {}
  // A sequence that ends with `from_label` is extended by `to_label`.
  virtual void ExpandState(const CTCBeamState& /*from_state*/,
                           int /*from_label*/, CTCBeamState* /*to_state*/,
                           int /*to_label*/) const {}
  // Tells that a sequence is complete.
  virtual void ExpandStateEnd(CTCBeamState* /*state*/) const {}
  // `previous_score` plus the score of the last ExpandState() of `state`.
  virtual T GetStateExpansionScore(const CTCBeamState& /*state*/,
                                   T previous_score) const {
    return previous_score;
  }
  // The score of ExpandStateEnd() of `state`.
  virtual T GetStateEndExpansionScore(const CTCBeamState& /*state*/) const {
    return 0;
  }
};

}  // namespace ctc
}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_COMPAT_UTIL_CTC_CTC_BEAM_SCORER_H_
