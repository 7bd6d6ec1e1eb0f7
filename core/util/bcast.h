// SPDX-License-Identifier: Apache-2.0
// BCast: how two shapes broadcast against each other, NumPy's way.
#ifndef TENSORWRIGHT_CORE_UTIL_BCAST_H_
#define TENSORWRIGHT_CORE_UTIL_BCAST_H_

#include <cstdint>

#include "absl/container/inlined_vector.h"
#include "absl/strings/string_view.h"
#include "core/framework/tensor_shape.h"
#include "core/lib/core/status.h"

namespace tensorwright {

// Shapes are aligned at their last dimension; a missing dimension counts as 1,
// and a dimension of 1 stretches to the other shape's size.
//
//   BCast b({2, 1, 3, 4}, {5, 1, 1});
//   b.IsValid()        true
//   b.output_shape()   [2, 5, 3, 4]
//
// Kernels need not loop over all those dimensions: x_reshape, y_reshape and
// result_shape describe the same data with runs of dimensions that broadcast
// the same way folded into one and all-ones dimensions left out.  In that form
// result = broadcast(reshape(x, x_reshape), x_bcast), and likewise for y; each
// of the five lists has the same length, at least one.
class BCast {
 public:
  using Vec = absl::InlinedVector<int64_t, 4>;

  // With `fewer_dims_optimization` false no dimensions are folded or left out,
  // and the lists have the output's rank.
  BCast(const Vec& x, const Vec& y, bool fewer_dims_optimization = true);
  BCast(const TensorShape& x, const TensorShape& y,
        bool fewer_dims_optimization = true)
      : BCast(FromShape(x), FromShape(y), fewer_dims_optimization) {}
  BCast(const BCast&) = delete;
  BCast& operator=(const BCast&) = delete;

  // False if some dimension differs and neither is 1; then the rest means
  // nothing.
  bool IsValid() const { return valid_; }
  // Some input really is stretched, so that elements are not one to one.
  bool IsBroadcastingRequired() const { return broadcasting_required_; }

  const Vec& x_reshape() const { return x_reshape_; }
  const Vec& x_bcast() const { return x_bcast_; }
  const Vec& y_reshape() const { return y_reshape_; }
  const Vec& y_bcast() const { return y_bcast_; }
  const Vec& result_shape() const { return result_; }

  // The result's shape as the user sees it.
  const Vec& output_shape() const { return output_; }

  // The output dimensions, ascending, over which a gradient with respect to x
  // (or y) is summed to get back to that input's shape.
  const Vec& grad_x_reduce_idx() const { return grad_x_reduce_idx_; }
  const Vec& grad_y_reduce_idx() const { return grad_y_reduce_idx_; }

  static Vec FromShape(const TensorShape& shape);
  static TensorShape ToShape(const Vec& vec);

 private:
  void FoldEqual(const Vec& x);
  void AppendFolded(int64_t x, int64_t y, bool merge);
  void ReverseAll();

  bool valid_ = true;
  bool broadcasting_required_ = false;
  Vec x_reshape_, x_bcast_, y_reshape_, y_bcast_, result_, output_;
  Vec grad_x_reduce_idx_, grad_y_reduce_idx_;
};

// InvalidArgument "<op>: ..." with both shapes if they do not broadcast; else
// sets *out.
Status BroadcastShapes(absl::string_view op, const TensorShape& x,
                       const TensorShape& y, TensorShape* out);

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_UTIL_BCAST_H_
