// SPDX-License-Identifier: Apache-2.0
// Two steps of a fused program in one loop: what lies between stays in a
// register of the processor.

#include <cstdint>

#include "core/kernels/fused_elementwise_op_schedule.h"

#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_AVX3_DL)
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/kernels/fused_elementwise_op_pairs.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
// The order matters: foreach_target.h includes this file again.
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace tensorwright {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

template <int kSStep, int kTStep, typename T, class F>
HWY_INLINE void Loop(const T* x, const T* s, const T* t, T* y, int64_t n,
                     const F& f) {
  const hn::ScalableTag<T> d;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  const auto s0 = hn::Set(d, *s), t0 = hn::Set(d, *t);
  int64_t i = 0;
  for (; i + lanes <= n; i += lanes) {
    const auto b = kSStep ? hn::LoadU(d, s + i) : s0;
    const auto c = kTStep ? hn::LoadU(d, t + i) : t0;
    hn::StoreU(f(hn::LoadU(d, x + i), b, c), d, y + i);
  }
  const hn::CappedTag<T, 1> one;
  const auto s1 = hn::Set(one, hn::GetLane(s0)),
             t1 = hn::Set(one, hn::GetLane(t0));
  for (; i < n; ++i) {
    const auto b = kSStep ? hn::Load(one, s + i) : s1;
    const auto c = kTStep ? hn::Load(one, t + i) : t1;
    hn::Store(f(hn::Load(one, x + i), b, c), one, y + i);
  }
}

template <typename T, class F>
HWY_INLINE void Steps(const void* x, const void* s, const void* t, void* y,
                      int64_t n, int s_step, int t_step, const F& f) {
  const T* a = static_cast<const T*>(x);
  const T* b = static_cast<const T*>(s);
  const T* c = static_cast<const T*>(t);
  T* out = static_cast<T*>(y);
  if (s_step == 0 && t_step == 0) {
    Loop<0, 0>(a, b, c, out, n, f);
  } else if (s_step == 0) {
    Loop<0, 1>(a, b, c, out, n, f);
  } else if (t_step == 0) {
    Loop<1, 0>(a, b, c, out, n, f);
  } else {
    Loop<1, 1>(a, b, c, out, n, f);
  }
}

template <typename T>
HWY_INLINE void Pair(FusedPair pair, const void* x, const void* s,
                     const void* t, void* y, int64_t n, int s_step,
                     int t_step) {
#define TW_PAIR(name, ...)                         \
  case FusedPair::name:                            \
    return Steps<T>(x, s, t, y, n, s_step, t_step, \
                    [](auto a, auto b, auto c)     \
                        HWY_ATTR { return __VA_ARGS__; })
  // A macro, because the attribute must stand on every lambda.
  switch (pair) {
    TW_PAIR(kMulAdd, hn::Add(hn::Mul(a, b), c));
    TW_PAIR(kMulSub, hn::Sub(hn::Mul(a, b), c));
    TW_PAIR(kMulMul, hn::Mul(hn::Mul(a, b), c));
    TW_PAIR(kAddAdd, hn::Add(hn::Add(a, b), c));
    TW_PAIR(kAddMul, hn::Mul(hn::Add(a, b), c));
    TW_PAIR(kSubMul, hn::Mul(hn::Sub(a, b), c));
    case FusedPair::kNone:
      return;
  }
#undef TW_PAIR
}

void PairFloat(FusedPair pair, const void* x, const void* s, const void* t,
               void* y, int64_t n, int s_step, int t_step) {
  Pair<float>(pair, x, s, t, y, n, s_step, t_step);
}
void PairDouble(FusedPair pair, const void* x, const void* s, const void* t,
                void* y, int64_t n, int s_step, int t_step) {
  Pair<double>(pair, x, s, t, y, n, s_step, t_step);
}

}  // namespace HWY_NAMESPACE
}  // namespace tensorwright
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tensorwright {

HWY_EXPORT(PairFloat);
HWY_EXPORT(PairDouble);

void RunFusedPair(FusedPair pair, int element_size, const void* x,
                  const void* s, const void* t, void* y, int64_t n, int s_step,
                  int t_step) {
  if (n == 0) return;
  if (element_size == 4) {
    HWY_DYNAMIC_DISPATCH(PairFloat)(pair, x, s, t, y, n, s_step, t_step);
  } else {
    HWY_DYNAMIC_DISPATCH(PairDouble)(pair, x, s, t, y, n, s_step, t_step);
  }
}

FusedPair FusedPairOf(absl::string_view first, absl::string_view second) {
  if (first == "Mul") {
    return second == "Add"   ? FusedPair::kMulAdd
           : second == "Sub" ? FusedPair::kMulSub
           : second == "Mul" ? FusedPair::kMulMul
                             : FusedPair::kNone;
  }
  if (first == "Add") {
    return second == "Add"   ? FusedPair::kAddAdd
           : second == "Mul" ? FusedPair::kAddMul
                             : FusedPair::kNone;
  }
  return first == "Sub" && second == "Mul" ? FusedPair::kSubMul
                                           : FusedPair::kNone;
}

}  // namespace tensorwright
#endif  // HWY_ONCE
