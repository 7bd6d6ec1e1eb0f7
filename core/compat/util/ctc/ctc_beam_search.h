// SPDX-License-Identifier: Apache-2.0
// CTCBeamSearchDecoder: the most probable label sequences, summed over their
// alignments and rated by a scorer.
#ifndef TENSORWRIGHT_CORE_COMPAT_UTIL_CTC_CTC_BEAM_SEARCH_H_
#define TENSORWRIGHT_CORE_COMPAT_UTIL_CTC_CTC_BEAM_SEARCH_H_

#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>
#include <vector>

#include "core/compat/util/ctc/ctc_beam_entry.h"
#include "core/compat/util/ctc/ctc_beam_scorer.h"
#include "core/compat/util/ctc/ctc_decoder.h"
#include "core/compat/util/ctc/ctc_loss_util.h"

namespace tensorwright {
namespace ctc {

// CTCBeamSearchDecoder<>, <State>, <State, Comparer>, <float, State>, ...: see
// BeamTypes.  The caller owns the scorer.
template <typename... Args>
class CTCBeamSearchDecoder
    : public CTCDecoder<typename ctc_beam_search::BeamTypes<Args...>::T> {
  using Types = ctc_beam_search::BeamTypes<Args...>;

 public:
  using T = typename Types::T;
  using CTCBeamState = typename Types::State;
  using BeamEntry = ctc_beam_search::BeamEntry<T, CTCBeamState>;
  using DefaultBeamScorer = BaseBeamScorer<T, CTCBeamState>;
  using Base = CTCDecoder<T>;

  // Takes a scorer of either generation: BaseBeamScorer<State> or <T, State>.
  template <typename... ScorerArgs>
  CTCBeamSearchDecoder(int num_classes, int beam_width,
                       BaseBeamScorer<ScorerArgs...>* scorer,
                       int batch_size = 1, bool merge_repeated = false)
      : Base(num_classes, batch_size, merge_repeated),
        beam_width_(std::max(1, beam_width)),
        scorer_(
            std::make_unique<ScorerOf<BaseBeamScorer<ScorerArgs...>>>(scorer)) {
    Reset();
  }

  Status Decode(const typename Base::SequenceLength& seq_len,
                const std::vector<typename Base::Input>& input,
                std::vector<typename Base::Output>* output,
                typename Base::ScoreOutput* scores) override {
    TF_RETURN_IF_ERROR(this->CheckLengths(seq_len, input));
    const int top_n = static_cast<int>(output->size());
    std::vector<std::vector<int>> paths;
    std::vector<T> log_probs;
    for (int b = 0; b < this->batch_size_; ++b) {
      Reset();
      for (int t = 0; t < seq_len[b]; ++t) Step(input[t].row(b));
      for (BeamEntry* entry : beam_) {
        scorer_->ExpandStateEnd(&entry->state);
        entry->newp.total += scorer_->GetStateEndExpansionScore(entry->state);
      }
      TF_RETURN_IF_ERROR(
          TopPaths(top_n, &paths, &log_probs, this->merge_repeated_));
      for (int i = 0; i < top_n; ++i) {
        (*output)[i][b] = std::move(paths[i]);
        (*scores)(b, i) = log_probs[i];
      }
    }
    return OkStatus();
  }

  // Goes one time step on: `logits` are num_classes numbers.
  template <typename Vector>
  void Step(const Vector& logits) {
    const std::vector<T> log_prob = LogSoftmax(logits);
    const std::vector<int> labels = SelectLabels(log_prob);
    for (BeamEntry* entry : beam_) entry->oldp = entry->newp;
    const std::vector<BeamEntry*> before = beam_;
    for (BeamEntry* entry : before) Stay(log_prob, entry);
    for (BeamEntry* entry : before) {
      for (int label : labels) {
        if (BeamEntry* child = Extend(entry, label, log_prob[label])) {
          beam_.push_back(child);
        }
      }
    }
    Prune();
  }

  // The `n` best sequences so far; InvalidArgument if there are fewer.
  Status TopPaths(int n, std::vector<std::vector<int>>* paths,
                  std::vector<T>* log_probs, bool merge_repeated) const {
    paths->clear();
    log_probs->clear();
    if (n < 0 || n > beam_width_ || n > static_cast<int>(beam_.size())) {
      return errors::InvalidArgument(
          n, " sequences are asked for, but there are ", beam_.size(),
          " in a beam of width ", beam_width_);
    }
    std::vector<BeamEntry*> best = beam_;
    std::sort(best.begin(), best.end(), typename Types::Comparer());
    for (int i = 0; i < n; ++i) {
      paths->push_back(best[i]->LabelSeq(merge_repeated));
      log_probs->push_back(best[i]->newp.total);
    }
    return OkStatus();
  }

  // Goes back to the empty sequence.
  void Reset() {
    root_ = std::make_unique<BeamEntry>(nullptr, -1);
    root_->newp.total = root_->newp.blank = 0;
    scorer_->InitializeState(&root_->state);
    beam_ = {root_.get()};
  }

  // Lets sequences grow only by the `size` best labels of a time step (0: all),
  // and by those at most `margin` worse than the best (negative: all).
  void SetLabelSelectionParameters(int size, T margin) {
    label_selection_size_ = size;
    label_selection_margin_ = margin;
  }

 private:
  // Any scorer class behind one interface: the two generations spell the same
  // methods in classes that are not related.
  struct AnyScorer {
    virtual ~AnyScorer() = default;
    virtual void InitializeState(CTCBeamState* root) const = 0;
    virtual void ExpandState(const CTCBeamState& from_state, int from_label,
                             CTCBeamState* to_state, int to_label) const = 0;
    virtual void ExpandStateEnd(CTCBeamState* state) const = 0;
    virtual T GetStateExpansionScore(const CTCBeamState& state,
                                     T previous_score) const = 0;
    virtual T GetStateEndExpansionScore(const CTCBeamState& state) const = 0;
  };
  template <typename Scorer>
  struct ScorerOf final : AnyScorer {
    explicit ScorerOf(Scorer* s) : scorer(s) {}
    void InitializeState(CTCBeamState* root) const override {
      scorer->InitializeState(root);
    }
    void ExpandState(const CTCBeamState& from_state, int from_label,
                     CTCBeamState* to_state, int to_label) const override {
      scorer->ExpandState(from_state, from_label, to_state, to_label);
    }
    void ExpandStateEnd(CTCBeamState* state) const override {
      scorer->ExpandStateEnd(state);
    }
    T GetStateExpansionScore(const CTCBeamState& state,
                             T previous_score) const override {
      return scorer->GetStateExpansionScore(state, previous_score);
    }
    T GetStateEndExpansionScore(const CTCBeamState& state) const override {
      return scorer->GetStateEndExpansionScore(state);
    }
    Scorer* const scorer;
  };

  template <typename Vector>
  std::vector<T> LogSoftmax(const Vector& logits) const {
    std::vector<T> out(this->num_classes_);
    for (int c = 0; c < this->num_classes_; ++c) out[c] = logits(c);
    const T largest = *std::max_element(out.begin(), out.end());
    T sum = 0;
    for (T value : out) sum += std::exp(value - largest);
    const T norm = largest + std::log(sum);
    for (T& value : out) value -= norm;
    return out;
  }

  std::vector<int> SelectLabels(const std::vector<T>& log_prob) const {
    std::vector<int> labels(this->blank_index_);
    std::iota(labels.begin(), labels.end(), 0);
    const auto better = [&](int a, int b) { return log_prob[a] > log_prob[b]; };
    if (label_selection_margin_ >= 0 && !labels.empty()) {
      const T least = *std::max_element(log_prob.begin(), log_prob.end()) -
                      label_selection_margin_;
      labels.erase(std::remove_if(labels.begin(), labels.end(),
                                  [&](int l) { return log_prob[l] < least; }),
                   labels.end());
    }
    if (label_selection_size_ > 0 &&
        static_cast<size_t>(label_selection_size_) < labels.size()) {
      std::nth_element(labels.begin(), labels.begin() + label_selection_size_,
                       labels.end(), better);
      labels.resize(label_selection_size_);
    }
    return labels;
  }

  // The probability of the alignments of `to` whose last step begins its last
  // label; a repeated label begins only after a blank.
  T Arrive(const BeamEntry& from, const BeamEntry& to) const {
    return scorer_->GetStateExpansionScore(
        to.state, to.label == from.label ? from.oldp.blank : from.oldp.total);
  }

  // The sequence stays the same: a blank comes, or its last label once more.
  void Stay(const std::vector<T>& log_prob, BeamEntry* entry) const {
    entry->newp.blank = entry->oldp.total + log_prob[this->blank_index_];
    entry->newp.label = T(kLogZero);
    if (entry->parent != nullptr) {
      T label = entry->oldp.label;
      if (InBeam(*entry->parent)) {
        label = LogSumExp(label, Arrive(*entry->parent, *entry));
      }
      entry->newp.label = label + log_prob[entry->label];
    }
    entry->newp.total = LogSumExp(entry->newp.blank, entry->newp.label);
  }

  // Adds `entry` with one more label, if that is not in the beam already.
  BeamEntry* Extend(BeamEntry* entry, int label, T log_prob) const {
    BeamEntry& child = entry->GetChild(label);
    if (InBeam(child)) return nullptr;
    scorer_->ExpandState(entry->state, entry->label, &child.state, label);
    child.newp.blank = T(kLogZero);
    child.newp.label = child.newp.total = log_prob + Arrive(*entry, child);
    return &child;
  }

  // Was it in the beam before this time step?
  static bool InBeam(const BeamEntry& entry) {
    return entry.oldp.total != T(kLogZero);
  }

  // Keeps the best; of the others only those stay in the tree that lead to one
  // of them.
  void Prune() {
    const auto impossible =
        std::partition(beam_.begin(), beam_.end(),
                       [](const BeamEntry* e) { return e->Active(); });
    auto kept = impossible;
    if (impossible - beam_.begin() > beam_width_) {
      kept = beam_.begin() + beam_width_;
      std::nth_element(beam_.begin(), kept, impossible,
                       typename Types::Comparer());
    }
    for (auto it = kept; it != beam_.end(); ++it) {
      BeamEntry* const entry = *it;
      entry->oldp.Reset();
      entry->newp.Reset();
      if (entry->parent != nullptr && entry->children.empty()) {
        entry->parent->children.erase(entry->label);
      }
    }
    beam_.erase(kept, beam_.end());
  }

  const int beam_width_;
  const std::unique_ptr<const AnyScorer> scorer_;
  int label_selection_size_ = 0;
  T label_selection_margin_ = -1;
  std::unique_ptr<BeamEntry> root_;
  std::vector<BeamEntry*> beam_;
};

}  // namespace ctc
}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_COMPAT_UTIL_CTC_CTC_BEAM_SEARCH_H_
