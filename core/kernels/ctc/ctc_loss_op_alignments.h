// SPDX-License-Identifier: Apache-2.0
// The probability of a label sequence, summed over its alignments with the time
// steps of an input, and its derivatives: the forward-backward recursion of
// Graves et al. (2006).
#ifndef TENSORWRIGHT_CORE_KERNELS_CTC_CTC_LOSS_OP_ALIGNMENTS_H_
#define TENSORWRIGHT_CORE_KERNELS_CTC_CTC_LOSS_OP_ALIGNMENTS_H_

#include <cstdint>

#include "absl/types/span.h"

namespace tensorwright {

// The logits of one row of a batch: logits[t * stride + c] for 0 <= t < time,
// 0 <= c < classes.  The last class is the blank.
template <typename T>
struct CtcLogits {
  const T* data;
  int64_t time;
  int64_t stride;
  int64_t classes;
};

// Minus the logarithm of the probability of `labels`, classes in [0, classes -
// 1): infinite if no alignment is possible, NaN if a logit is.  An alignment
// has labels in order, blanks between them, and with `merge_repeated` each
// label one or more times in a row, so that equal neighbours need a blank
// between them; without it each label is one step, and equal ones may touch.
//
// Writes the derivatives by the logits to gradient[t * stride + c]; if no
// alignment is possible, these are the softmax of the logits, as in TensorFlow.
// Pure: any thread.
template <typename T>
double CtcLoss(const CtcLogits<T>& logits, absl::Span<const int32_t> labels,
               bool merge_repeated, T* gradient);

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_KERNELS_CTC_CTC_LOSS_OP_ALIGNMENTS_H_
