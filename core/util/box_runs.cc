// SPDX-License-Identifier: Apache-2.0
#include "core/util/box_runs.h"

#include <algorithm>

namespace tensorwright {
namespace {

int64_t Start(const TensorSlice& s, int d) {
  return s.IsFullAt(d) ? 0 : s.start(d);
}
int64_t Length(const TensorSlice& s, const TensorShape& shape, int d) {
  return s.IsFullAt(d) ? shape.dim_size(d) : s.length(d);
}

}  // namespace

BoxRuns::BoxRuns(const TensorShape& shape, const TensorSlice& from,
                 const TensorSlice& to) {
  int64_t from_stride = 1, to_stride = 1;
  bool side_by_side = true;
  for (int d = shape.dims() - 1; d >= 0; --d) {
    const int64_t from_start = Start(from, d), to_start = Start(to, d);
    const int64_t from_length = Length(from, shape, d);
    const int64_t to_length = Length(to, shape, d);
    const int64_t start = std::max(from_start, to_start);
    const int64_t length = std::max<int64_t>(
        0, std::min(from_start + from_length, to_start + to_length) - start);
    num_elements_ *= length;
    if (side_by_side) {
      run_ *= length;
    } else if (length != 1) {
      outer_.insert(outer_.begin(), {length, from_stride, to_stride, 0});
    }
    // The run goes on to the next dimension outwards only if neither box has
    // more here.
    side_by_side = side_by_side && length == from_length && length == to_length;
    from_ += (start - from_start) * from_stride;
    to_ += (start - to_start) * to_stride;
    from_stride *= from_length;
    to_stride *= to_length;
  }
  left_ = run_ == 0 ? 0 : num_elements_ / run_;
}

void BoxRuns::Advance() {
  --left_;
  for (auto d = outer_.rbegin(); d != outer_.rend(); ++d) {
    from_ += d->from_stride;
    to_ += d->to_stride;
    if (++d->at < d->length) return;
    from_ -= d->length * d->from_stride;
    to_ -= d->length * d->to_stride;
    d->at = 0;
  }
}

}  // namespace tensorwright
