// SPDX-License-Identifier: Apache-2.0
// CTCDecoder: turns logits of each time step into label sequences; the last
// class is the blank.  Also the decoder that takes the best class each time.
#ifndef TENSORWRIGHT_CORE_COMPAT_UTIL_CTC_CTC_DECODER_H_
#define TENSORWRIGHT_CORE_COMPAT_UTIL_CTC_CTC_DECODER_H_

#include <vector>

#include "core/framework/numeric_types.h"
#include "core/lib/core/errors.h"
#include "core/lib/core/status.h"

namespace tensorwright {
namespace ctc {

template <typename T = float>
class CTCDecoder {
 public:
  using SequenceLength = Eigen::Map<const Eigen::ArrayXi>;
  // [batch_size, num_classes], one for each time step.
  using Input =
      Eigen::Map<const Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic>>;
  // Label sequences, one for each batch entry.
  using Output = std::vector<std::vector<int>>;
  using ScoreOutput =
      Eigen::Map<Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic>>;

  CTCDecoder(int num_classes, int batch_size, bool merge_repeated)
      : num_classes_(num_classes),
        blank_index_(num_classes - 1),
        batch_size_(batch_size),
        merge_repeated_(merge_repeated) {}
  virtual ~CTCDecoder() = default;

  int batch_size() const { return batch_size_; }
  int num_classes() const { return num_classes_; }

  // `output` has as many entries as sequences are wanted, the best first;
  // scores(b, i) is the decoder's score for (*output)[i][b].
  virtual Status Decode(const SequenceLength& seq_len,
                        const std::vector<Input>& input,
                        std::vector<Output>* output, ScoreOutput* scores) = 0;

 protected:
  // InvalidArgument if a sequence is longer than the input.
  Status CheckLengths(const SequenceLength& seq_len,
                      const std::vector<Input>& input) const {
    for (int b = 0; b < batch_size_; ++b) {
      if (seq_len[b] < 0 || static_cast<size_t>(seq_len[b]) > input.size()) {
        return errors::InvalidArgument(
            "seq_len[", b, "] must be in [0, ", input.size(),
            "], the number of time steps, got ", seq_len[b]);
      }
    }
    return OkStatus();
  }

  int num_classes_;
  int blank_index_;
  int batch_size_;
  bool merge_repeated_;
};

// scores(b, 0) is minus the sum of the best logits.
template <typename T = float>
class CTCGreedyDecoder : public CTCDecoder<T> {
 public:
  using Base = CTCDecoder<T>;
  using Base::Base;

  Status Decode(const typename Base::SequenceLength& seq_len,
                const std::vector<typename Base::Input>& input,
                std::vector<typename Base::Output>* output,
                typename Base::ScoreOutput* scores) override {
    if (output->empty() ||
        (*output)[0].size() < static_cast<size_t>(this->batch_size_)) {
      return errors::InvalidArgument(
          "output must have one sequence for each of the batch's ",
          this->batch_size_, " entries");
    }
    TF_RETURN_IF_ERROR(this->CheckLengths(seq_len, input));
    for (int b = 0; b < this->batch_size_; ++b) {
      std::vector<int>& sequence = (*output)[0][b];
      sequence.clear();
      (*scores)(b, 0) = 0;
      int previous = -1;
      for (int t = 0; t < seq_len[b]; ++t) {
        int best;
        (*scores)(b, 0) -= input[t].row(b).maxCoeff(&best);
        if (best != this->blank_index_ &&
            !(this->merge_repeated_ && best == previous)) {
          sequence.push_back(best);
        }
        previous = best;
      }
    }
    return OkStatus();
  }
};

}  // namespace ctc
}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_COMPAT_UTIL_CTC_CTC_DECODER_H_
