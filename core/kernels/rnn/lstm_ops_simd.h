// SPDX-License-Identifier: Apache-2.0
// The elementwise part of a step of an LSTM and of its gradient, with the
// widest vectors the processor has (Highway, chosen at run time).
//
// A matrix of gates [rows, 4 cell] has the four gates of a row next to each
// other, in the order that LstmGateOrder says; any other matrix is [rows,
// cell].  Outputs overlap no input.  Any alignment.
#ifndef TENSORWRIGHT_CORE_KERNELS_RNN_LSTM_OPS_SIMD_H_
#define TENSORWRIGHT_CORE_KERNELS_RNN_LSTM_OPS_SIMD_H_

#include <cstdint>

namespace tensorwright {

// The place of each gate in weights, biases and gradients; ci, the new input of
// the cell, counts as a gate.
struct LstmGateOrder {
  int i = 0, ci = 1, f = 2, o = 3;
};

// The weights of peepholes [cell], or null.
struct LstmPeepholes {
  const float* wci = nullptr;
  const float* wcf = nullptr;
  const float* wco = nullptr;
};

struct LstmStep {
  int64_t cell = 0;
  LstmGateOrder order;
  LstmPeepholes peepholes;
  float forget_bias = 0;
  float cell_clip = 0;  // Does not clip unless positive.
  // The sum of these gives the gates; from_x may be null.
  const float* from_x = nullptr;
  const float* from_h = nullptr;
  const float* bias = nullptr;  // [4 cell]
  const float* cs_prev = nullptr;
  float *i = nullptr, *cs = nullptr, *f = nullptr, *o = nullptr, *ci = nullptr,
        *co = nullptr, *h = nullptr;
};

struct LstmGradStep {
  int64_t cell = 0;
  LstmGateOrder order;
  LstmPeepholes peepholes;
  const float *i = nullptr, *f = nullptr, *o = nullptr, *ci = nullptr,
              *co = nullptr, *cs_prev = nullptr;
  // The gradients of cs and h are sums of two parts; the later step's part may
  // be null.
  const float *cs_grad = nullptr, *h_grad = nullptr;
  const float *cs_grad_later = nullptr, *h_grad_later = nullptr;
  float* gates_grad = nullptr;  // [rows, 4 cell]
  float* cs_prev_grad = nullptr;
};

// Compute rows begin <= r < end.
void RunLstmStep(const LstmStep& step, int64_t begin, int64_t end);
void RunLstmGradStep(const LstmGradStep& step, int64_t begin, int64_t end);

// sum[j] = sum over rows of a[r, j] or, if b is not null, of a[r, j] * b[r, j],
// begin <= j < end.  The rows of a and b start a_stride and b_stride apart.
void SumOverRows(const float* a, int64_t a_stride, const float* b,
                 int64_t b_stride, int64_t rows, int64_t begin, int64_t end,
                 float* sum);

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_KERNELS_RNN_LSTM_OPS_SIMD_H_
