// SPDX-License-Identifier: Apache-2.0
// QuantizedMatMul's inner loop: compiled once per instruction set below.

#include "core/kernels/lib/foreach_target.h"  // IWYU pragma: keep
#include "core/kernels/math/quantized_ops_matmul.h"

HWY_BEFORE_NAMESPACE();
namespace tensorwright {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using D = hn::ScalableTag<int32_t>;
using V = hn::Vec<D>;

HWY_INLINE V AddProducts(V sum, V a, V b) {
  const D d;
#if HWY_TARGET == HWY_SCALAR
  const int32_t x = hn::GetLane(a), y = hn::GetLane(b);
  const int32_t low = static_cast<int16_t>(x) * static_cast<int16_t>(y);
  return hn::Add(sum, hn::Set(d, low + (x >> 16) * (y >> 16)));
#else
  const hn::Repartition<int16_t, D> d16;
  // On x86 the result holds the whole sum.
  V unused = hn::Zero(d);
  return hn::ReorderWidenMulAccumulate(d, hn::BitCast(d16, a),
                                       hn::BitCast(d16, b), sum, unused);
#endif
}

// Computes two vectors of columns at a time, so that eight sums stay in
// registers.
void Multiply(const int32_t* a, const int32_t* b, int64_t pairs,
              int64_t columns, int32_t* c) {
  const D d;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  constexpr int64_t kRow = kProductColumns;
  for (int64_t j = 0; j < columns; j += 2 * lanes) {
    int32_t* to = c + j;
    V s00 = hn::LoadU(d, to), s01 = hn::LoadU(d, to + lanes);
    V s10 = hn::LoadU(d, to + kRow), s11 = hn::LoadU(d, to + kRow + lanes);
    V s20 = hn::LoadU(d, to + 2 * kRow);
    V s21 = hn::LoadU(d, to + 2 * kRow + lanes);
    V s30 = hn::LoadU(d, to + 3 * kRow);
    V s31 = hn::LoadU(d, to + 3 * kRow + lanes);
    for (int64_t p = 0; p < pairs; ++p) {
      const V b0 = hn::LoadU(d, b + p * kRow + j);
      const V b1 = hn::LoadU(d, b + p * kRow + j + lanes);
      const V a0 = hn::Set(d, a[p]), a1 = hn::Set(d, a[pairs + p]);
      const V a2 = hn::Set(d, a[2 * pairs + p]);
      const V a3 = hn::Set(d, a[3 * pairs + p]);
      s00 = AddProducts(s00, a0, b0);
      s01 = AddProducts(s01, a0, b1);
      s10 = AddProducts(s10, a1, b0);
      s11 = AddProducts(s11, a1, b1);
      s20 = AddProducts(s20, a2, b0);
      s21 = AddProducts(s21, a2, b1);
      s30 = AddProducts(s30, a3, b0);
      s31 = AddProducts(s31, a3, b1);
    }
    hn::StoreU(s00, d, to);
    hn::StoreU(s01, d, to + lanes);
    hn::StoreU(s10, d, to + kRow);
    hn::StoreU(s11, d, to + kRow + lanes);
    hn::StoreU(s20, d, to + 2 * kRow);
    hn::StoreU(s21, d, to + 2 * kRow + lanes);
    hn::StoreU(s30, d, to + 3 * kRow);
    hn::StoreU(s31, d, to + 3 * kRow + lanes);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace tensorwright
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tensorwright {

HWY_EXPORT(Multiply);

void MultiplyPairs(const int32_t* a, const int32_t* b, int64_t pairs,
                   int64_t columns, int32_t* c) {
  HWY_DYNAMIC_DISPATCH(Multiply)(a, b, pairs, columns, c);
}

}  // namespace tensorwright
#endif  // HWY_ONCE
