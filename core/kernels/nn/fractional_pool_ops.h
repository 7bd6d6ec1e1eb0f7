// SPDX-License-Identifier: Apache-2.0
// Pools whose windows have one of two sizes, drawn at random (Graham 2014).
#ifndef TENSORWRIGHT_CORE_KERNELS_NN_FRACTIONAL_POOL_OPS_H_
#define TENSORWRIGHT_CORE_KERNELS_NN_FRACTIONAL_POOL_OPS_H_

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "core/framework/op_kernel.h"
#include "core/framework/tensor.h"
#include "core/util/guarded_philox_random.h"

namespace tensorwright {

// Returns the places where the windows along one dimension begin, and the end
// of the last: `output` + 1 increasing numbers from 0 to `input`, whose
// differences are k or k + 1 with k = input / output.  Pseudo-random sequences
// follow ceil(input / output * (i + u)) with one random number u; others
// shuffle the window sizes.  0 < output <= input.
std::vector<int64_t> PoolingSequence(int64_t input, int64_t output,
                                     bool pseudo_random,
                                     GuardedPhiloxRandom* generator);

// The windows of an image batch [batch, rows, cols, depth].
struct FractionalWindows {
  // Sequences, as PoolingSequence returns them.
  absl::Span<const int64_t> rows, cols;
  // A window includes the first row or column of the next.
  bool overlapping = false;
  int64_t input_rows = 0, input_cols = 0, depth = 0;

  int64_t output_rows() const { return static_cast<int64_t>(rows.size()) - 1; }
  int64_t output_cols() const { return static_cast<int64_t>(cols.size()) - 1; }
  int64_t InputSize() const { return input_rows * input_cols * depth; }
  int64_t OutputSize() const { return output_rows() * output_cols() * depth; }

  // Returns the end of the window that begins at sequence[i].
  int64_t End(absl::Span<const int64_t> sequence, int64_t i,
              int64_t size) const {
    return std::min(sequence[i + 1] + (overlapping ? 1 : 0), size);
  }
};

// InvalidArgument unless `sequence`, the argument `name` of `op`, is a vector
// of output_size + 1 numbers that increase from 0 on and do not exceed
// input_size.
Status CheckPoolingSequence(const std::string& op, const char* name,
                            const Tensor& sequence, int64_t input_size,
                            int64_t output_size);

// Calls f(offset of the output pixel in its image, window's pixel offsets as
// first row, last row, first col, last col) for each output pixel.
template <typename F>
void ForEachFractionalWindow(const FractionalWindows& w, const F& f) {
  for (int64_t i = 0; i < w.output_rows(); ++i) {
    const int64_t row_end = w.End(w.rows, i, w.input_rows);
    for (int64_t j = 0; j < w.output_cols(); ++j) {
      f((i * w.output_cols() + j) * w.depth, w.rows[i], row_end, w.cols[j],
        w.End(w.cols, j, w.input_cols));
    }
  }
}

// The attrs and sequences of both ops.
class FractionalPool {
 public:
  Status Init(OpKernelConstruction* ctx);

  // Finds the sizes of the output for an input [n, h, w, c], and makes new
  // sequences (the same ones in each run if `deterministic`) as outputs 1 and
  // 2.
  Status Begin(OpKernelContext* ctx, const Tensor& input,
               FractionalWindows* windows, TensorShape* output);

 private:
  std::string op_;  // The type of the node, for messages.
  std::vector<float> ratio_;
  bool pseudo_random_ = false, overlapping_ = false, deterministic_ = false;
  int64_t seed_ = 0, seed2_ = 0;
  GuardedPhiloxRandom generator_;
};

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_KERNELS_NN_FRACTIONAL_POOL_OPS_H_
