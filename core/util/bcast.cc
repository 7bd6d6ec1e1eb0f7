// SPDX-License-Identifier: Apache-2.0
// Broadcasting, computed from the innermost dimension outwards.
#include "core/util/bcast.h"

#include <algorithm>

namespace tensorwright {
namespace {

// The way in which a dimension broadcasts.
enum class Kind { kNone, kSame, kXIsOne, kYIsOne };

void Reverse(BCast::Vec* v) { std::reverse(v->begin(), v->end()); }

}  // namespace

BCast::BCast(absl::Span<const int64_t> x, absl::Span<const int64_t> y,
             bool fewer_dims_optimization) {
  const int rank = static_cast<int>(std::max(x.size(), y.size()));
  const auto size_at = [rank](absl::Span<const int64_t> s, int d) {
    const int missing = rank - static_cast<int>(s.size());
    return d < missing ? int64_t{1} : s[d - missing];
  };
  const bool equal = fewer_dims_optimization && x == y;
  Kind previous = Kind::kNone;
  for (int d = rank - 1; d >= 0; --d) {
    const int64_t xs = size_at(x, d), ys = size_at(y, d);
    Kind kind;
    if (xs == ys) {
      kind = Kind::kSame;
    } else if (xs == 1) {
      kind = Kind::kXIsOne;
    } else if (ys == 1) {
      kind = Kind::kYIsOne;
    } else {
      valid_ = false;
      return;
    }
    const int64_t out = kind == Kind::kXIsOne ? ys : xs;
    output_.push_back(out);
    // Both gradients sum over a size of one in both shapes: that is a reshape,
    // and free.  Equal shapes need no sums at all.
    if (xs == 1 && !equal) grad_x_reduce_idx_.push_back(d);
    if (ys == 1 && !equal) grad_y_reduce_idx_.push_back(d);
    if (kind != Kind::kSame) broadcasting_ = true;

    // [.., 1, ..] against [.., 1, ..] joins the dimensions beside it.
    if (fewer_dims_optimization && xs == 1 && ys == 1) continue;
    const int64_t x_bcast = kind == Kind::kXIsOne ? ys : 1;
    const int64_t y_bcast = kind == Kind::kYIsOne ? xs : 1;
    if (fewer_dims_optimization && kind == previous) {
      result_.back() *= out;
      x_reshape_.back() *= xs;
      x_bcast_.back() *= x_bcast;
      y_reshape_.back() *= ys;
      y_bcast_.back() *= y_bcast;
    } else {
      result_.push_back(out);
      x_reshape_.push_back(xs);
      x_bcast_.push_back(x_bcast);
      y_reshape_.push_back(ys);
      y_bcast_.push_back(y_bcast);
    }
    previous = kind;
  }
  if (result_.empty()) {
    // Scalars, and all sizes one: a single element.
    for (Vec* v : {&result_, &x_reshape_, &x_bcast_, &y_reshape_, &y_bcast_}) {
      v->push_back(1);
    }
  }
  for (Vec* v : {&result_, &x_reshape_, &x_bcast_, &y_reshape_, &y_bcast_,
                 &output_, &grad_x_reduce_idx_, &grad_y_reduce_idx_}) {
    Reverse(v);
  }
}

}  // namespace tensorwright
