// SPDX-License-Identifier: Apache-2.0
// QuantizedConv2D's inner loop: compiled once per instruction set below.

#include <cstring>

#include "core/kernels/lib/foreach_target.h"  // IWYU pragma: keep
#include "core/kernels/nn/quantized_conv_ops_product.h"

HWY_BEFORE_NAMESPACE();
namespace tensorwright {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using PairTag = hn::ScalableTag<int32_t>;
using Pairs = hn::Vec<PairTag>;

// Returns the pair at `at` in every lane.
HWY_INLINE Pairs SetPair(const uint16_t* at) {
  int32_t pair;
  std::memcpy(&pair, at, sizeof(pair));
  return hn::Set(PairTag(), pair);
}

HWY_INLINE Pairs LoadPairs(const uint32_t* at) {
  return hn::LoadU(PairTag(), reinterpret_cast<const int32_t*>(at));
}

HWY_INLINE void StorePairs(Pairs sums, uint32_t* to) {
  hn::StoreU(sums, PairTag(), reinterpret_cast<int32_t*>(to));
}

// sum + a . b
HWY_INLINE Pairs AddPairProducts(Pairs sum, Pairs a, Pairs b) {
  const PairTag d;
#if HWY_TARGET == HWY_SCALAR
  const uint32_t x = static_cast<uint32_t>(hn::GetLane(a));
  const uint32_t y = static_cast<uint32_t>(hn::GetLane(b));
  const uint32_t products = (x & 0xffff) * (y & 0xffff) + (x >> 16) * (y >> 16);
  return hn::Add(sum, hn::Set(d, static_cast<int32_t>(products)));
#else
  const hn::Repartition<int16_t, PairTag> d16;
  // On x86 the result holds the whole sum.
  Pairs unused = hn::Zero(d);
  return hn::ReorderWidenMulAccumulate(d, hn::BitCast(d16, a),
                                       hn::BitCast(d16, b), sum, unused);
#endif
}

// Computes two vectors of columns at a time, so that eight sums stay in
// registers.
void MultiplyPatchesForTarget(const uint16_t* a, int64_t a_row,
                              const uint32_t* b, int64_t pairs, int64_t columns,
                              uint32_t* sums) {
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(PairTag()));
  for (int64_t j = 0; j < columns; j += 2 * lanes) {
    uint32_t *to0 = sums + j, *to1 = to0 + columns;
    uint32_t *to2 = to1 + columns, *to3 = to2 + columns;
    Pairs s00 = LoadPairs(to0), s01 = LoadPairs(to0 + lanes);
    Pairs s10 = LoadPairs(to1), s11 = LoadPairs(to1 + lanes);
    Pairs s20 = LoadPairs(to2), s21 = LoadPairs(to2 + lanes);
    Pairs s30 = LoadPairs(to3), s31 = LoadPairs(to3 + lanes);
    for (int64_t p = 0; p < pairs; ++p) {
      const uint16_t* pair = a + 2 * p;
      const Pairs b0 = LoadPairs(b + p * columns + j);
      const Pairs b1 = LoadPairs(b + p * columns + j + lanes);
      const Pairs a0 = SetPair(pair), a1 = SetPair(pair + a_row);
      const Pairs a2 = SetPair(pair + 2 * a_row);
      const Pairs a3 = SetPair(pair + 3 * a_row);
      s00 = AddPairProducts(s00, a0, b0);
      s01 = AddPairProducts(s01, a0, b1);
      s10 = AddPairProducts(s10, a1, b0);
      s11 = AddPairProducts(s11, a1, b1);
      s20 = AddPairProducts(s20, a2, b0);
      s21 = AddPairProducts(s21, a2, b1);
      s30 = AddPairProducts(s30, a3, b0);
      s31 = AddPairProducts(s31, a3, b1);
    }
    StorePairs(s00, to0);
    StorePairs(s01, to0 + lanes);
    StorePairs(s10, to1);
    StorePairs(s11, to1 + lanes);
    StorePairs(s20, to2);
    StorePairs(s21, to2 + lanes);
    StorePairs(s30, to3);
    StorePairs(s31, to3 + lanes);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace tensorwright
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tensorwright {

HWY_EXPORT(MultiplyPatchesForTarget);

void MultiplyPatches(const uint16_t* a, int64_t a_row, const uint32_t* b,
                     int64_t pairs, int64_t columns, uint32_t* sums) {
  HWY_DYNAMIC_DISPATCH(MultiplyPatchesForTarget)
  (a, a_row, b, pairs, columns, sums);
}

}  // namespace tensorwright
#endif  // HWY_ONCE
