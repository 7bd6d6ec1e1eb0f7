// SPDX-License-Identifier: Apache-2.0
// TensorSlice: a box of a tensor, a start and a length along each dimension.
//
// Checkpoints name with it the parts of a variable that is saved in pieces.  A
// value; const access is thread-safe.  Positions of dimensions are not checked.
#ifndef TENSORWRIGHT_CORE_FRAMEWORK_TENSOR_SLICE_H_
#define TENSORWRIGHT_CORE_FRAMEWORK_TENSOR_SLICE_H_

#include <cstdint>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "core/framework/tensor_shape.h"
#include "core/lib/core/status.h"

namespace tensorwright {

class TensorSliceProto;

// A dimension may be whole whatever its size: length kFullExtent (then start is
// 0).  As text a slice is like "-:0,10:5,3": all, ten from the first, three
// from the sixth; "" has no dimension.
class TensorSlice {
 public:
  static constexpr int64_t kFullExtent = -1;

  // A slice without dimensions; of `dim` whole ones; of these (start, length).
  TensorSlice() = default;
  explicit TensorSlice(int dim) { SetFullSlice(dim); }
  TensorSlice(std::initializer_list<std::pair<int64_t, int64_t>> extents);
  // Has no dimension if the proto is broken.
  explicit TensorSlice(const TensorSliceProto& proto);
  // InvalidArgument for a negative start or length, an end beyond int64, or
  // input that is no slice; in text also for a length of 0.  `out` then has no
  // dimension.
  static Status BuildTensorSlice(const TensorSliceProto& proto,
                                 TensorSlice* out);
  static Status Parse(const std::string& text, TensorSlice* out);
  // Ends the process if the text is wrong; for texts in the program itself.
  static TensorSlice ParseOrDie(const std::string& text);

  void Clear() { extents_.clear(); }
  void SetFullSlice(int dim) { extents_.assign(dim, {0, kFullExtent}); }
  // Adds whole dimensions at the end; never removes any.
  void Extend(int dim);

  int dims() const { return static_cast<int>(extents_.size()); }
  int64_t start(int d) const { return extents_[d].first; }
  int64_t length(int d) const { return extents_[d].second; }
  // One past the last position, for a dimension that is not whole.
  int64_t end(int d) const { return start(d) + length(d); }
  void set_start(int d, int64_t x) { extents_[d].first = x; }
  void set_length(int d, int64_t x) { extents_[d].second = x; }
  bool IsFullAt(int d) const { return length(d) == kFullExtent; }
  // Every dimension is whole.
  bool IsFull() const;

  // Both can be read back; whole dimensions are written without a length, or as
  // "-".
  void AsProto(TensorSliceProto* proto) const;
  std::string DebugString() const;

  // The box that both have in common; false if they are apart or have different
  // ranks; *result then has no dimension.  A dimension that is whole in one box
  // is taken from the other.  `result` may be null.
  bool Intersect(const TensorSlice& other, TensorSlice* result) const;
  bool Overlaps(const TensorSlice& other) const {
    return Intersect(other, nullptr);
  }
  // The shape of the box of a tensor of that shape; InvalidArgument, and a
  // scalar in *result_shape, if the box sticks out or has another rank.
  Status SliceTensorShape(const TensorShape& shape,
                          TensorShape* result_shape) const;
  // Grows to the smallest box that holds both.  Ends the process if the ranks
  // differ.
  void UpdateToCover(const TensorSlice& other);

  friend bool operator==(const TensorSlice& a, const TensorSlice& b) {
    return a.extents_ == b.extents_;
  }
  friend bool operator!=(const TensorSlice& a, const TensorSlice& b) {
    return !(a == b);
  }

 private:
  std::vector<std::pair<int64_t, int64_t>> extents_;  // Start, length.
};

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_FRAMEWORK_TENSOR_SLICE_H_
