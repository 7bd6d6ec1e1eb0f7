// SPDX-License-Identifier: Apache-2.0
// BoxRuns: copies the common part of two boxes of one tensor, as runs of
// elements that lie side by side in both.
//
// Each box is stored row-major by itself.  The runs come in the order of the
// first box, so its elements may be streamed.  A value for one thread.
#ifndef TENSORWRIGHT_CORE_UTIL_BOX_RUNS_H_
#define TENSORWRIGHT_CORE_UTIL_BOX_RUNS_H_

#include <cstdint>

#include "absl/container/inlined_vector.h"
#include "core/framework/tensor_shape.h"
#include "core/framework/tensor_slice.h"

namespace tensorwright {

class BoxRuns {
 public:
  // The boxes belong to a tensor of `shape`, have its rank and lie within it.
  BoxRuns(const TensorShape& shape, const TensorSlice& from,
          const TensorSlice& to);

  // The number of elements that both have; the length of each run.
  int64_t num_elements() const { return num_elements_; }
  int64_t run() const { return run_; }
  // The current run: its beginning in each box.  Call Advance until done.
  bool done() const { return left_ == 0; }
  int64_t from() const { return from_; }
  int64_t to() const { return to_; }
  void Advance();

 private:
  struct Dimension {
    int64_t length;
    int64_t from_stride;
    int64_t to_stride;
    int64_t at;
  };
  // The dimensions outside a run, the outermost first.
  absl::InlinedVector<Dimension, 4> outer_;
  int64_t num_elements_ = 1;
  int64_t run_ = 1;
  int64_t left_ = 1;  // The number of runs.
  int64_t from_ = 0;
  int64_t to_ = 0;
};

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_UTIL_BOX_RUNS_H_
