// SPDX-License-Identifier: Apache-2.0
// The elementwise parts of a step of a gated unit and of its gradient, with the
// widest vectors the processor has (Highway, chosen at run time).
//
// Matrices are [rows, cell].  Those of two gates, r and u side by side, are
// [rows, 2 cell]; [x, h_prev r] and its gradient are [rows, inputs + cell].
// Outputs overlap no input.  Any alignment.  All functions compute rows begin
// <= r < end.
#ifndef TENSORWRIGHT_CORE_KERNELS_RNN_GRU_OPS_SIMD_H_
#define TENSORWRIGHT_CORE_KERNELS_RNN_GRU_OPS_SIMD_H_

#include <cstdint>

namespace tensorwright {

struct GruStep {
  int64_t inputs = 0, cell = 0;
  const float* gates = nullptr;   // [rows, 2 cell], before the sigmoids.
  const float* c_bar = nullptr;   // [rows, cell], before the tanh.
  const float* b_ru = nullptr;    // [2 cell]
  const float* b_c = nullptr;     // [cell]
  const float* h_prev = nullptr;  // [rows, cell]
  float* both = nullptr;          // [rows, inputs + cell]
  float *r = nullptr, *u = nullptr, *c = nullptr, *h = nullptr;
};

// Computes r, u and the part h_prev r of `both`, from gates.
void RunGruGates(const GruStep& step, int64_t begin, int64_t end);
// Computes c and h, from c_bar.
void RunGruOutput(const GruStep& step, int64_t begin, int64_t end);

struct GruGradStep {
  int64_t inputs = 0, cell = 0;
  const float *h_prev = nullptr, *r = nullptr, *u = nullptr, *c = nullptr,
              *h_grad = nullptr;
  // c_bar_grad w_c', the gradient of [x, h_prev r].
  const float* by_c = nullptr;
  // gates_grad w_ru', the gradient of [x, h_prev].
  const float* by_gates = nullptr;
  float* c_bar_grad = nullptr;   // [rows, cell]
  float* gates_grad = nullptr;   // [rows, 2 cell]
  float* x_grad = nullptr;       // [rows, inputs]
  float* h_prev_grad = nullptr;  // [rows, cell]
};

// Computes c_bar_grad.
void RunGruGradOfOutput(const GruGradStep& step, int64_t begin, int64_t end);
// Computes gates_grad, from by_c.
void RunGruGradOfGates(const GruGradStep& step, int64_t begin, int64_t end);
// Computes x_grad and h_prev_grad, from by_c and by_gates.
void RunGruGradOfInputs(const GruGradStep& step, int64_t begin, int64_t end);

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_KERNELS_RNN_GRU_OPS_SIMD_H_
