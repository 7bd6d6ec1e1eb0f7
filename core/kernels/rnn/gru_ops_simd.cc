// SPDX-License-Identifier: Apache-2.0
// Highway's loops of gated units: compiled once per instruction set below.

#include "core/kernels/rnn/gru_ops_simd.h"

#include "core/kernels/lib/foreach_target.h"  // IWYU pragma: keep
// These come after foreach_target.h, which has this file compiled for each set.
#include "core/kernels/lib/cwise_ops_simd-inl.h"
#include "core/kernels/rnn/cell_columns-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tensorwright {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

void GruGatesRows(const GruStep& s, int64_t begin, int64_t end) {
  const int64_t cell = s.cell;
  for (int64_t row = begin; row < end; ++row) {
    const float* gates = s.gates + row * 2 * cell;
    float* beside_x = s.both + row * (s.inputs + cell) + s.inputs;
    ForCellColumns(0, cell, [&](auto d, int64_t j) HWY_ATTR {
      const auto r = Sigmoid(
          d, hn::Add(hn::LoadU(d, gates + j), hn::LoadU(d, s.b_ru + j)));
      const auto u = Sigmoid(d, hn::Add(hn::LoadU(d, gates + cell + j),
                                        hn::LoadU(d, s.b_ru + cell + j)));
      hn::StoreU(r, d, s.r + row * cell + j);
      hn::StoreU(u, d, s.u + row * cell + j);
      hn::StoreU(hn::Mul(hn::LoadU(d, s.h_prev + row * cell + j), r), d,
                 beside_x + j);
    });
  }
}

void GruOutputRows(const GruStep& s, int64_t begin, int64_t end) {
  const int64_t cell = s.cell;
  for (int64_t row = begin; row < end; ++row) {
    const int64_t at = row * cell;
    ForCellColumns(0, cell, [&](auto d, int64_t j) HWY_ATTR {
      const auto c = SafeTanh(
          d, hn::Add(hn::LoadU(d, s.c_bar + at + j), hn::LoadU(d, s.b_c + j)));
      const auto u = hn::LoadU(d, s.u + at + j);
      const auto h_prev = hn::LoadU(d, s.h_prev + at + j);
      hn::StoreU(c, d, s.c + at + j);
      const auto fresh = hn::Mul(hn::Sub(hn::Set(d, 1.0f), u), c);
      hn::StoreU(hn::MulAdd(u, h_prev, fresh), d, s.h + at + j);
    });
  }
}

void GruGradOfOutputRows(const GruGradStep& s, int64_t begin, int64_t end) {
  const int64_t cell = s.cell;
  ForCellColumns(begin * cell, end * cell, [&](auto d, int64_t j) HWY_ATTR {
    const auto one = hn::Set(d, 1.0f);
    const auto c = hn::LoadU(d, s.c + j);
    const auto dc = hn::Mul(hn::LoadU(d, s.h_grad + j),
                            hn::Sub(one, hn::LoadU(d, s.u + j)));
    hn::StoreU(hn::Mul(dc, hn::NegMulAdd(c, c, one)), d, s.c_bar_grad + j);
  });
}

void GruGradOfGatesRows(const GruGradStep& s, int64_t begin, int64_t end) {
  const int64_t cell = s.cell;
  for (int64_t row = begin; row < end; ++row) {
    const int64_t at = row * cell;
    const float* by_hr = s.by_c + row * (s.inputs + cell) + s.inputs;
    float* gates = s.gates_grad + row * 2 * cell;
    ForCellColumns(0, cell, [&](auto d, int64_t j) HWY_ATTR {
      const auto one = hn::Set(d, 1.0f);
      const auto r = hn::LoadU(d, s.r + at + j), u = hn::LoadU(d, s.u + at + j);
      const auto h_prev = hn::LoadU(d, s.h_prev + at + j);
      const auto c = hn::LoadU(d, s.c + at + j);
      const auto dr = hn::Mul(hn::LoadU(d, by_hr + j), h_prev);
      const auto du =
          hn::Mul(hn::LoadU(d, s.h_grad + at + j), hn::Sub(h_prev, c));
      hn::StoreU(hn::Mul(dr, hn::Mul(r, hn::Sub(one, r))), d, gates + j);
      hn::StoreU(hn::Mul(du, hn::Mul(u, hn::Sub(one, u))), d, gates + cell + j);
    });
  }
}

void GruGradOfInputsRows(const GruGradStep& s, int64_t begin, int64_t end) {
  const int64_t cell = s.cell, inputs = s.inputs;
  for (int64_t row = begin; row < end; ++row) {
    const int64_t at = row * cell;
    const float* by_c = s.by_c + row * (inputs + cell);
    const float* by_gates = s.by_gates + row * (inputs + cell);
    ForCellColumns(0, inputs, [&](auto d, int64_t j) HWY_ATTR {
      hn::StoreU(hn::Add(hn::LoadU(d, by_c + j), hn::LoadU(d, by_gates + j)), d,
                 s.x_grad + row * inputs + j);
    });
    ForCellColumns(0, cell, [&](auto d, int64_t j) HWY_ATTR {
      auto dh = hn::LoadU(d, by_gates + inputs + j);
      dh = hn::MulAdd(hn::LoadU(d, by_c + inputs + j),
                      hn::LoadU(d, s.r + at + j), dh);
      dh = hn::MulAdd(hn::LoadU(d, s.u + at + j),
                      hn::LoadU(d, s.h_grad + at + j), dh);
      hn::StoreU(dh, d, s.h_prev_grad + at + j);
    });
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace tensorwright
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tensorwright {

HWY_EXPORT(GruGatesRows);
HWY_EXPORT(GruOutputRows);
HWY_EXPORT(GruGradOfOutputRows);
HWY_EXPORT(GruGradOfGatesRows);
HWY_EXPORT(GruGradOfInputsRows);

void RunGruGates(const GruStep& step, int64_t begin, int64_t end) {
  HWY_DYNAMIC_DISPATCH(GruGatesRows)(step, begin, end);
}
void RunGruOutput(const GruStep& step, int64_t begin, int64_t end) {
  HWY_DYNAMIC_DISPATCH(GruOutputRows)(step, begin, end);
}
void RunGruGradOfOutput(const GruGradStep& step, int64_t begin, int64_t end) {
  HWY_DYNAMIC_DISPATCH(GruGradOfOutputRows)(step, begin, end);
}
void RunGruGradOfGates(const GruGradStep& step, int64_t begin, int64_t end) {
  HWY_DYNAMIC_DISPATCH(GruGradOfGatesRows)(step, begin, end);
}
void RunGruGradOfInputs(const GruGradStep& step, int64_t begin, int64_t end) {
  HWY_DYNAMIC_DISPATCH(GruGradOfInputsRows)(step, begin, end);
}

}  // namespace tensorwright
#endif  // HWY_ONCE
