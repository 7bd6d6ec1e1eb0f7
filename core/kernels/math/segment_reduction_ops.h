// SPDX-License-Identifier: Apache-2.0
// Reads ids and combines rows, for all segment reductions.
//
// The kernel classes know no types: they check ids and share out segments. One
// loop function for each reduction and type does the rest.
#ifndef TENSORWRIGHT_CORE_KERNELS_MATH_SEGMENT_REDUCTION_OPS_H_
#define TENSORWRIGHT_CORE_KERNELS_MATH_SEGMENT_REDUCTION_OPS_H_

#include <algorithm>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "absl/strings/string_view.h"
#include "core/framework/numeric_types.h"
#include "core/framework/tensor.h"
#include "core/kernels/lib/cwise_ops.h"
#include "core/kernels/lib/reduction_ops.h"
#include "core/kernels/lib/wide_loops.h"
#include "core/lib/core/status.h"

namespace tensorwright {

// Rows [begin, end) have the id `id`.
struct Segment {
  int64_t id;
  int64_t begin;
  int64_t end;
};

// Returns the elements of a tensor of int16, int32 or int64.
std::vector<int64_t> ReadIds(const Tensor& ids);

// Finds the segments of ascending ids.  InvalidArgument, in the name of `op`,
// if the ids do not ascend or one is negative.
Status FindSegments(absl::string_view op, const Tensor& ids,
                    std::vector<Segment>* segments);

// Sets the first dimension to one row for each id up to `last_id`; -1 means no
// row.  InvalidArgument, in the name of `op`, if there are too many rows.
Status SetSegmentRows(absl::string_view op, int64_t last_id,
                      TensorShape* shape);

// InvalidArgument unless 0 <= ids[i] < limit.
Status CheckIdsBelow(absl::string_view op, absl::string_view name,
                     const std::vector<int64_t>& ids, int64_t limit);

// Combines acc[j] with rows[0][j], ... rows[kRows - 1][j].
template <class Reducer, int kRows>
struct CombineRowsLoop {
  template <typename C>
  TW_WIDE_LOOP static void Run(const C* const* rows, C* acc, int64_t n) {
    const C *a = rows[0], *b = rows[kRows / 4], *c = rows[kRows / 2],
            *d = rows[kRows - 1];
    TW_VECTORIZE
    for (int64_t j = 0; j < n; ++j) {
      if constexpr (kRows == 4) {
        acc[j] = Reducer::Combine(
            acc[j], Reducer::Combine(Reducer::Combine(a[j], b[j]),
                                     Reducer::Combine(c[j], d[j])));
      } else {
        acc[j] = Reducer::Combine(acc[j], a[j]);
      }
    }
  }
};

// The vector loop for the maximum or minimum of floats and doubles, if there is
// one: the compiler does not vectorise these.
template <class Reducer>
struct SimdExtremum {
  static constexpr bool kExists = false;
};
template <>
struct SimdExtremum<MaxReducer<float>> : SimdLoop<functor::Maximum> {
  static constexpr bool kExists = true;
};
template <>
struct SimdExtremum<MaxReducer<double>> : SimdLoop<functor::Maximum> {
  static constexpr bool kExists = true;
};
template <>
struct SimdExtremum<MinReducer<float>> : SimdLoop<functor::Minimum> {
  static constexpr bool kExists = true;
};
template <>
struct SimdExtremum<MinReducer<double>> : SimdLoop<functor::Minimum> {
  static constexpr bool kExists = true;
};

// Combines acc[j] with rows at(first)[j], ... at(count - 1)[j].  Takes four
// rows at a time, so that acc is read and written less often.
template <class Reducer, typename C, class At>
void CombineRows(const At& at, int64_t first, int64_t count, C* acc,
                 int64_t n) {
  int64_t i = first;
  if constexpr (SimdExtremum<Reducer>::kExists) {
    for (; i < count; ++i) {
      SimdExtremum<Reducer>::Run(acc, at(i), acc, n, 1, 1);
    }
  }
  for (; i + 4 <= count; i += 4) {
    const C* const rows[4] = {at(i), at(i + 1), at(i + 2), at(i + 3)};
    RunWide<CombineRowsLoop<Reducer, 4>>(&rows[0], acc, n);
  }
  for (; i < count; ++i) {
    const C* const rows[1] = {at(i)};
    RunWide<CombineRowsLoop<Reducer, 1>>(&rows[0], acc, n);
  }
}

// out[j] = finish(the combination of rows at(i)[j], 0 <= i < count), 0 <= j <
// n.  half and bfloat16 are combined as floats and rounded once.
template <template <typename> class R, typename T, class At, class Finish>
void ReduceRows(const At& at, int64_t count, T* out, int64_t n,
                const Finish& finish) {
  using C = ComputeType<T>;
  if constexpr (std::is_same_v<C, T>) {
    if (count > 0) {
      std::copy_n(at(0), n, out);
    } else {
      std::fill_n(out, n, R<C>::Initial());
    }
    CombineRows<R<C>>(at, 1, count, out, n);
    finish(out, n);
  } else {
    float acc[kWidenBlock], row[kWidenBlock];
    for (int64_t j = 0; j < n; j += kWidenBlock) {
      const int64_t m = std::min(kWidenBlock, n - j);
      std::fill_n(acc, m, R<float>::Initial());
      const auto same = [&row](int64_t) -> const float* { return row; };
      for (int64_t i = 0; i < count; ++i) {
        WidenFloats(at(i) + j, row, m);
        CombineRows<R<float>>(same, 0, 1, acc, m);
      }
      finish(acc, m);
      NarrowFloats(acc, out + j, m);
    }
  }
}

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_KERNELS_MATH_SEGMENT_REDUCTION_OPS_H_
