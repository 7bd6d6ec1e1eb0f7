// SPDX-License-Identifier: Apache-2.0
// How two shapes broadcast against each other.
#include "core/util/bcast.h"

#include <algorithm>

#include "core/lib/core/errors.h"

namespace tensorwright {

BCast::BCast(const Vec& x, const Vec& y, bool fewer_dims_optimization) {
  if (fewer_dims_optimization && x == y) {
    FoldEqual(x);
    return;
  }
  enum class Kind { kNone, kSame, kStretchX, kStretchY };
  Kind previous = Kind::kNone;
  const int rank = static_cast<int>(std::max(x.size(), y.size()));
  // From the innermost dimension outwards; the lists are turned round at the
  // end.
  for (int i = 0; i < rank; ++i) {
    const int64_t xi = i < static_cast<int>(x.size()) ? x[x.size() - 1 - i] : 1;
    const int64_t yi = i < static_cast<int>(y.size()) ? y[y.size() - 1 - i] : 1;
    const int64_t dim = rank - 1 - i;
    Kind kind = Kind::kSame;
    if (xi != yi) {
      broadcasting_required_ = true;
      if (xi == 1) {
        kind = Kind::kStretchX;
        grad_x_reduce_idx_.push_back(dim);
      } else if (yi == 1) {
        kind = Kind::kStretchY;
        grad_y_reduce_idx_.push_back(dim);
      } else {
        valid_ = false;
        return;
      }
    }
    output_.push_back(xi == 1 ? yi : xi);
    if (xi == 1 && yi == 1) {
      // Summing over a dimension of 1 changes nothing, and lets one reshape
      // undo both that and a missing dimension.
      grad_x_reduce_idx_.push_back(dim);
      grad_y_reduce_idx_.push_back(dim);
      if (fewer_dims_optimization) continue;
    }
    AppendFolded(xi, yi, fewer_dims_optimization && kind == previous);
    previous = kind;
  }
  if (result_.empty()) AppendFolded(1, 1, false);
  ReverseAll();
}

// Equal shapes: one dimension with all elements.
void BCast::FoldEqual(const Vec& x) {
  int64_t elements = 1;
  for (int64_t d : x) elements *= d;
  output_ = x;
  AppendFolded(elements, elements, false);
}

void BCast::AppendFolded(int64_t x, int64_t y, bool merge) {
  if (!merge) {
    for (Vec* v : {&x_reshape_, &x_bcast_, &y_reshape_, &y_bcast_, &result_}) {
      v->push_back(1);
    }
  }
  x_reshape_.back() *= x;
  y_reshape_.back() *= y;
  if (x != y && x == 1) x_bcast_.back() *= y;
  if (x != y && y == 1) y_bcast_.back() *= x;
  result_.back() *= x == 1 ? y : x;
}

void BCast::ReverseAll() {
  for (Vec* v : {&x_reshape_, &x_bcast_, &y_reshape_, &y_bcast_, &result_,
                 &output_, &grad_x_reduce_idx_, &grad_y_reduce_idx_}) {
    std::reverse(v->begin(), v->end());
  }
}

BCast::Vec BCast::FromShape(const TensorShape& shape) {
  const absl::Span<const int64_t> sizes = shape.dim_sizes();
  return Vec(sizes.begin(), sizes.end());
}

TensorShape BCast::ToShape(const Vec& vec) {
  return TensorShape(absl::MakeConstSpan(vec));
}

Status BroadcastShapes(absl::string_view op, const TensorShape& x,
                       const TensorShape& y, TensorShape* out) {
  const BCast bcast(x, y, /*fewer_dims_optimization=*/false);
  if (!bcast.IsValid()) {
    return errors::InvalidArgument(
        op, ": shapes must be equal or broadcast (equal or 1, from the last ",
        "dimension on), got ", x.DebugString(), " and ", y.DebugString());
  }
  return TensorShape::BuildTensorShape(
      absl::MakeConstSpan(bcast.output_shape()), out);
}

}  // namespace tensorwright
