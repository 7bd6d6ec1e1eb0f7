// SPDX-License-Identifier: Apache-2.0
// Highway's loops of LSTMs: compiled once per instruction set below.  A row's
// exponentials bound a step, whose data are in the cache.

#include "core/kernels/rnn/lstm_ops_simd.h"

#include "core/kernels/lib/foreach_target.h"  // IWYU pragma: keep
// These come after foreach_target.h, which has this file compiled for each set.
#include "core/kernels/lib/cwise_ops_simd-inl.h"
#include "core/kernels/rnn/cell_columns-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tensorwright {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

void LstmStepRows(const LstmStep& s, int64_t begin, int64_t end) {
  const int64_t cell = s.cell;
  const bool peeps = s.peepholes.wci != nullptr;
  for (int64_t r = begin; r < end; ++r) {
    const float* from_x =
        s.from_x == nullptr ? nullptr : s.from_x + r * 4 * cell;
    const float* from_h = s.from_h + r * 4 * cell;
    const int64_t row = r * cell;
    ForCellColumns(0, cell, [&](auto d, int64_t j) HWY_ATTR {
      const auto gate = [&](int place) HWY_ATTR {
        const int64_t at = place * cell + j;
        auto v = hn::LoadU(d, from_h + at);
        if (from_x != nullptr) v = hn::Add(v, hn::LoadU(d, from_x + at));
        return hn::Add(v, hn::LoadU(d, s.bias + at));
      };
      const auto cs_prev = hn::LoadU(d, s.cs_prev + row + j);
      auto i = gate(s.order.i), f = gate(s.order.f), o = gate(s.order.o);
      f = hn::Add(f, hn::Set(d, s.forget_bias));
      if (peeps) {
        i = hn::MulAdd(hn::LoadU(d, s.peepholes.wci + j), cs_prev, i);
        f = hn::MulAdd(hn::LoadU(d, s.peepholes.wcf + j), cs_prev, f);
      }
      i = Sigmoid(d, i);
      f = Sigmoid(d, f);
      const auto ci = SafeTanh(d, gate(s.order.ci));
      auto cs = hn::MulAdd(ci, i, hn::Mul(cs_prev, f));
      if (s.cell_clip > 0) {
        // x86's min and max give their second argument if one is NaN.
        cs = hn::Max(hn::Set(d, -s.cell_clip), cs);
        cs = hn::Min(hn::Set(d, s.cell_clip), cs);
      }
      if (peeps) o = hn::MulAdd(hn::LoadU(d, s.peepholes.wco + j), cs, o);
      o = Sigmoid(d, o);
      const auto co = SafeTanh(d, cs);
      hn::StoreU(i, d, s.i + row + j);
      hn::StoreU(cs, d, s.cs + row + j);
      hn::StoreU(f, d, s.f + row + j);
      hn::StoreU(o, d, s.o + row + j);
      hn::StoreU(ci, d, s.ci + row + j);
      hn::StoreU(co, d, s.co + row + j);
      hn::StoreU(hn::Mul(co, o), d, s.h + row + j);
    });
  }
}

void LstmGradStepRows(const LstmGradStep& s, int64_t begin, int64_t end) {
  const int64_t cell = s.cell;
  const bool peeps = s.peepholes.wci != nullptr;
  for (int64_t r = begin; r < end; ++r) {
    const int64_t row = r * cell;
    float* gates = s.gates_grad + r * 4 * cell;
    ForCellColumns(0, cell, [&](auto d, int64_t j) HWY_ATTR {
      const auto one = hn::Set(d, 1.0f);
      const auto load = [&](const float* m)
                            HWY_ATTR { return hn::LoadU(d, m + row + j); };
      const auto i = load(s.i), f = load(s.f), o = load(s.o);
      const auto ci = load(s.ci), co = load(s.co), cs_prev = load(s.cs_prev);
      auto dh = load(s.h_grad), dcs = load(s.cs_grad);
      if (s.h_grad_later != nullptr) dh = hn::Add(dh, load(s.h_grad_later));
      if (s.cs_grad_later != nullptr) dcs = hn::Add(dcs, load(s.cs_grad_later));
      // A sigmoid's slope is y (1 - y), a tanh's 1 - y^2.
      const auto d_o = hn::Mul(hn::Mul(o, hn::Sub(one, o)), hn::Mul(dh, co));
      dcs = hn::MulAdd(hn::NegMulAdd(co, co, one), hn::Mul(dh, o), dcs);
      if (peeps) {
        dcs = hn::MulAdd(d_o, hn::LoadU(d, s.peepholes.wco + j), dcs);
      }
      const auto d_ci = hn::Mul(hn::NegMulAdd(ci, ci, one), hn::Mul(dcs, i));
      const auto d_f =
          hn::Mul(hn::Mul(f, hn::Sub(one, f)), hn::Mul(dcs, cs_prev));
      const auto d_i = hn::Mul(hn::Mul(i, hn::Sub(one, i)), hn::Mul(dcs, ci));
      auto to_prev = hn::Mul(dcs, f);
      if (peeps) {
        to_prev = hn::MulAdd(d_i, hn::LoadU(d, s.peepholes.wci + j), to_prev);
        to_prev = hn::MulAdd(d_f, hn::LoadU(d, s.peepholes.wcf + j), to_prev);
      }
      hn::StoreU(d_i, d, gates + s.order.i * cell + j);
      hn::StoreU(d_ci, d, gates + s.order.ci * cell + j);
      hn::StoreU(d_f, d, gates + s.order.f * cell + j);
      hn::StoreU(d_o, d, gates + s.order.o * cell + j);
      hn::StoreU(to_prev, d, s.cs_prev_grad + row + j);
    });
  }
}

void SumColumns(const float* a, int64_t a_stride, const float* b,
                int64_t b_stride, int64_t rows, int64_t begin, int64_t end,
                float* sum) {
  ForCellColumns(begin, end, [=](auto d, int64_t j) HWY_ATTR {
    auto s = hn::Zero(d);
    if (b == nullptr) {
      for (int64_t r = 0; r < rows; ++r) {
        s = hn::Add(s, hn::LoadU(d, a + r * a_stride + j));
      }
    } else {
      for (int64_t r = 0; r < rows; ++r) {
        s = hn::MulAdd(hn::LoadU(d, a + r * a_stride + j),
                       hn::LoadU(d, b + r * b_stride + j), s);
      }
    }
    hn::StoreU(s, d, sum + j);
  });
}

}  // namespace HWY_NAMESPACE
}  // namespace tensorwright
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tensorwright {

HWY_EXPORT(LstmStepRows);
HWY_EXPORT(LstmGradStepRows);
HWY_EXPORT(SumColumns);

void RunLstmStep(const LstmStep& step, int64_t begin, int64_t end) {
  HWY_DYNAMIC_DISPATCH(LstmStepRows)(step, begin, end);
}

void RunLstmGradStep(const LstmGradStep& step, int64_t begin, int64_t end) {
  HWY_DYNAMIC_DISPATCH(LstmGradStepRows)(step, begin, end);
}

void SumOverRows(const float* a, int64_t a_stride, const float* b,
                 int64_t b_stride, int64_t rows, int64_t begin, int64_t end,
                 float* sum) {
  HWY_DYNAMIC_DISPATCH(SumColumns)
  (a, a_stride, b, b_stride, rows, begin, end, sum);
}

}  // namespace tensorwright
#endif  // HWY_ONCE
