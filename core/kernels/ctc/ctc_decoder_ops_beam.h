// SPDX-License-Identifier: Apache-2.0
// A beam search for the most probable label sequences of one row of a batch.
#ifndef TENSORWRIGHT_CORE_KERNELS_CTC_CTC_DECODER_OPS_BEAM_H_
#define TENSORWRIGHT_CORE_KERNELS_CTC_CTC_DECODER_OPS_BEAM_H_

#include <cstdint>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/types/span.h"

namespace tensorwright {

// Goes through the time steps, and keeps the `width` sequences that are most
// probable so far, each with the probability of all its alignments, as far as
// the beam has kept the sequences that lead to them.  The results are
// TensorFlow's, including what that search overlooks.  Used by one thread, for
// one row after the other.
template <typename T>
class CtcBeamSearch {
 public:
  // `classes` > 0, the last of them is the blank; `width` > 0.
  CtcBeamSearch(int64_t classes, int64_t width);

  // Goes back to the empty sequence, whose probability is 1.
  void Reset();
  // Goes one time step on, with `classes` logits.  False if the beam has become
  // too large for memory; then only Reset() may follow.
  bool Step(const T* logits);

  // The number of sequences in the beam.
  int64_t size() const { return static_cast<int64_t>(beam_.size()); }
  // For the i-th sequence, the most probable first.  With `merge_repeated`,
  // equal neighbours count as one.
  T log_probability(int64_t i) const { return beam_[i].total; }
  std::vector<int64_t> Labels(int64_t i, bool merge_repeated) const;

 private:
  // A sequence is its parent's with one more label.  Lives while it is in the
  // beam or begins one that lives.
  struct Node {
    int32_t parent;
    int32_t label;
    int32_t children = 0;
    int32_t entry = -1;  // Its position in the beam, or -1.
  };
  // Logarithms of probabilities: of all alignments, of those that end with a
  // blank, and with the last label.
  struct Entry {
    int32_t node;
    T total, blank, label;
  };
  // An entry that the next beam may have: entry `from` as it is (label -1), or
  // with one more label.
  struct Candidate {
    T total;
    int32_t from, label;
  };

  void LogSoftmax(const T* logits);
  // Keeps entries as they are: a blank comes, or their last label again.
  void Stay();
  // Extends entries by one label each.
  void Extend();
  void ExtendWith(int32_t from, int32_t label);
  void Offer(T total, int32_t from, int32_t label);
  bool Wanted(T total) const;
  // Makes the candidates the beam.
  void Replace();
  int32_t Child(int32_t node, int32_t label);
  void Release(int32_t node);

  const int64_t classes_, width_;
  std::vector<T> log_p_;               // For this step.
  std::vector<Entry> beam_;            // The most probable first.
  std::vector<Entry> next_;            // The same entries as they stay.
  std::vector<bool> stays_;            // Are they still among the candidates?
  std::vector<bool> extends_;          // May they get another label?
  std::vector<Candidate> candidates_;  // A heap, the worst first.
  // For the entry that is extended: its children in the beam, per label; or -1.
  std::vector<int32_t> child_of_label_;
  std::vector<std::vector<int32_t>> children_;  // Entries, per entry.
  std::vector<Node> nodes_;
  std::vector<int32_t> free_;
  absl::flat_hash_map<std::pair<int32_t, int32_t>, int32_t> node_of_;
};

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_KERNELS_CTC_CTC_DECODER_OPS_BEAM_H_
