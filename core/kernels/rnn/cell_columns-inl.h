// SPDX-License-Identifier: Apache-2.0
// Goes along a row for the loops of this directory: included once per
// instruction set.

// NOLINT: Highway's include guard, which opens again for each instruction set.
#if defined(TENSORWRIGHT_CORE_KERNELS_RNN_CELL_COLUMNS_INL_H_) == \
    defined(HWY_TARGET_TOGGLE)
#ifdef TENSORWRIGHT_CORE_KERNELS_RNN_CELL_COLUMNS_INL_H_
#undef TENSORWRIGHT_CORE_KERNELS_RNN_CELL_COLUMNS_INL_H_
#else
#define TENSORWRIGHT_CORE_KERNELS_RNN_CELL_COLUMNS_INL_H_
#endif

#include <cstdint>

#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace tensorwright {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Calls f(tag, first column) until columns begin <= j < end are done.  The last
// vector does some columns again, so that no single elements are left; f must
// not read its own output.
template <class F>
HWY_INLINE void ForCellColumns(int64_t begin, int64_t end, const F& f) {
  const hn::ScalableTag<float> d;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  int64_t j = begin;
  if (end - begin < lanes) {
    for (; j < end; ++j) f(hn::CappedTag<float, 1>(), j);
    return;
  }
  for (; j + lanes <= end; j += lanes) f(d, j);
  if (j < end) f(d, end - lanes);
}

}  // namespace HWY_NAMESPACE
}  // namespace tensorwright
HWY_AFTER_NAMESPACE();

#endif  // TENSORWRIGHT_CORE_KERNELS_RNN_CELL_COLUMNS_INL_H_
