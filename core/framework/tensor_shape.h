// SPDX-License-Identifier: Apache-2.0
// The shape of a tensor, fully known (TensorShape) or in part
// (PartialTensorShape).
//
// Shapes are values: copies share nothing, and const methods may be called by
// many threads.  A shape from outside (a proto, a tensor of sizes) may be too
// large or negative; TensorShapeRep says how it is treated.  Up to four
// dimensions need no allocation; changing one size recomputes the number of
// elements, which is linear in the rank.
//
// Dimensions count from 0.  A position that a shape does not have is the
// caller's bug: it throws WrongUse, except in the ...WithStatus forms, which
// return InvalidArgument.
#ifndef TENSORWRIGHT_CORE_FRAMEWORK_TENSOR_SHAPE_H_
#define TENSORWRIGHT_CORE_FRAMEWORK_TENSOR_SHAPE_H_

#include <array>
#include <cstdint>
#include <initializer_list>
#include <ostream>
#include <string>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "absl/types/span.h"
#include "core/framework/dim_vector.h"
#include "core/lib/core/errors.h"
#include "core/lib/core/status.h"
#include "core/platform/types.h"

// Eigen's index array has this name; declared here so that slim code need not
// include Eigen's tensors.
namespace Eigen {
template <typename DenseIndex, int NumDims>
struct DSizes;
}  // namespace Eigen

namespace tensorwright {

class PartialTensorShape;
class TensorShape;
class TensorShapeProto;

// One dimension, for `for (TensorShapeDim d : shape)`.
struct TensorShapeDim {
  explicit TensorShapeDim(int64_t s) : size(s) {}
  int64_t size;
};

// All sizes, as a view: good until the shape is changed or destroyed.
// TensorFlow keeps them in an InlinedVector, and its users name that type; the
// conversion copies.
class DimSizes : public absl::Span<const int64_t> {
 public:
  explicit DimSizes(absl::Span<const int64_t> sizes)
      : absl::Span<const int64_t>(sizes) {}
  template <size_t N>
  operator absl::InlinedVector<int64_t, N>() const {  // NOLINT
    return absl::InlinedVector<int64_t, N>(begin(), end());
  }
};

// Iterates over a shape's dimensions.  A view of the shape, which must outlive
// it; yields values, not references.
template <typename Shape>
class TensorShapeIter {
 public:
  TensorShapeIter(const Shape* shape, int d) : shape_(shape), d_(d) {}
  bool operator==(const TensorShapeIter& o) const { return d_ == o.d_; }
  bool operator!=(const TensorShapeIter& o) const { return d_ != o.d_; }
  void operator++() { ++d_; }
  TensorShapeDim operator*() const {
    return TensorShapeDim(shape_->dim_size(d_));
  }

 private:
  const Shape* shape_;
  int d_;
};

// The part that both kinds share.  A shape's rank is at most MaxDimensions()
// and the product of its sizes fits an int64.  All arithmetic is checked: the
// ...WithStatus forms, the Build... functions and MakeShape return
// InvalidArgument and leave the shape as it was; the plain forms (AddDim, the
// constructors) make the shape invalid instead of ending the process.  An
// invalid shape has no elements, and allocating a tensor of it fails with
// InvalidArgument.  It keeps its sizes, so DebugString shows the fault, and
// becomes valid again if they do.  A size 0 does not excuse the others: [2^40,
// 2^40, 0] is too large.
class TensorShapeRep {
 public:
  static constexpr int MaxDimensions() { return 254; }

  bool IsValid() const { return num_elements_ != kInvalid; }
  // OK, or InvalidArgument that says which limit the shape breaks.  For
  // TensorShape: an unknown size counts as negative.
  Status CheckValid() const;

  // "[2,3]"; "[2,?]" with an unknown size, "<unknown>" for an unknown rank.
  std::string DebugString() const;

  // -1 if the rank is unknown.
  int dims() const {
    return unknown_rank_ ? -1 : static_cast<int>(dims_.size());
  }
  bool unknown_rank() const { return unknown_rank_; }
  // Empty for an unknown rank; -1 for each unknown size.
  DimSizes dim_sizes() const { return DimSizes(dims_); }

  // Becomes a scalar, valid and of known rank.
  void Clear();

 protected:
  static constexpr int64_t kInvalid = -2;

  TensorShapeRep() = default;
  void AddSize(int64_t size, bool may_be_unknown);
  // Computes num_elements_ anew; -1 if some size is unknown.
  void RecomputeNumElements(bool may_be_unknown);

  DimVector dims_;
  int64_t num_elements_ = 1;
  bool unknown_rank_ = false;
};

// Every size is known and >= 0.  Wrong arguments (negative sizes, overflow)
// make it invalid; see above.
class TensorShape : public TensorShapeRep {
 public:
  // A scalar: rank 0, one element.
  TensorShape() = default;
  TensorShape(std::initializer_list<int64_t> sizes)
      : TensorShape(absl::Span<const int64_t>(sizes.begin(), sizes.size())) {}
  explicit TensorShape(absl::Span<const int64_t> sizes);
  // Invalid if the proto has a negative size or an unknown rank.
  explicit TensorShape(const TensorShapeProto& proto);

  static bool IsValid(const TensorShapeProto& proto);
  static Status IsValidShape(const TensorShapeProto& proto);
  using TensorShapeRep::IsValid;

  // Fills `out`; on failure leaves it as it was.  InvalidArgument, with the
  // sizes, for a negative or unknown one, more than MaxDimensions(), or too
  // many elements.  The ...Base forms are TensorFlow's other names.
  static Status BuildTensorShape(absl::Span<const int64_t> sizes,
                                 TensorShape* out);
  static Status BuildTensorShape(const TensorShapeProto& proto,
                                 TensorShape* out);
  static Status BuildTensorShapeBase(absl::Span<const int64_t> sizes,
                                     TensorShape* out) {
    return BuildTensorShape(sizes, out);
  }
  static Status BuildTensorShapeBase(const TensorShapeProto& proto,
                                     TensorShape* out) {
    return BuildTensorShape(proto, out);
  }

  // Number of elements; 0 for an invalid shape.
  int64_t num_elements() const {
    return num_elements_ == kInvalid ? 0 : num_elements_;
  }
  // Size of dimension `d`, 0 <= d < dims(); throws WrongUse otherwise.
  int64_t dim_size(int d) const {
    if (d < 0 || static_cast<size_t>(d) >= dims_.size()) [[unlikely]]
      ThrowNoDim(d);
    return dims_[d];
  }

  // Adds dimensions behind the last.  A shape may be appended to itself.
  void AddDim(int64_t size) { AddSize(size, /*may_be_unknown=*/false); }
  Status AddDimWithStatus(int64_t size);
  void AppendShape(const TensorShape& shape);
  Status AppendShapeWithStatus(const TensorShape& shape);
  // Puts a dimension before dimension `d`, 0 <= d <= dims(), where dims() means
  // behind the last.  Below, `d` is in [0, dims()).
  void InsertDim(int d, int64_t size);
  Status InsertDimWithStatus(int d, int64_t size);
  void set_dim(int d, int64_t size);
  Status SetDimWithStatus(int d, int64_t size);
  void RemoveDim(int d);
  Status RemoveDimWithStatus(int d);
  // Drops dimensions [begin, end), where negative positions count from the back
  // and -1 is behind the last: RemoveDimRange(1, -1) keeps dimension 0 alone.
  // Drops none if begin >= end.
  void RemoveDimRange(int begin, int end);
  void RemoveLastDims(int n);

  // Equal sizes in equal order. == also tells a valid shape from an invalid
  // one.
  bool IsSameSize(const TensorShape& b) const { return dims_ == b.dims_; }
  friend bool operator==(const TensorShape& a, const TensorShape& b) {
    return a.IsSameSize(b) && a.IsValid() == b.IsValid();
  }
  friend bool operator!=(const TensorShape& a, const TensorShape& b) {
    return !(a == b);
  }

  TensorShapeIter<TensorShape> begin() const { return {this, 0}; }
  TensorShapeIter<TensorShape> end() const { return {this, dims()}; }

  void AsProto(TensorShapeProto* proto) const;
  // Logs the sizes.
  void DumpRep() const;
  static std::string DebugString(const TensorShapeProto& proto);
  using TensorShapeRep::DebugString;

  // The sizes as Eigen's type; NDIMS must equal dims() or, with padding, be at
  // least that: ones are added behind.  Throws WrongUse otherwise.  Defined in
  // core/framework/tensor_types.h.
  template <int NDIMS, typename IndexType = std::ptrdiff_t>
  Eigen::DSizes<IndexType, NDIMS> AsEigenDSizes() const;
  template <int NDIMS, typename IndexType = std::ptrdiff_t>
  Eigen::DSizes<IndexType, NDIMS> AsEigenDSizesWithPadding() const;

 private:
  [[noreturn]] void ThrowNoDim(int d) const;
  [[noreturn]] void ThrowNotOfRank(int rank) const;
  friend class PartialTensorShape;
};

// A size may be unknown (-1), and so may the rank.  Nothing else is known if
// the rank is unknown: AddDim, and joining the shape with another one, leave it
// unknown.  Sizes below -1, too many dimensions, or known sizes that overflow
// make it invalid.
class PartialTensorShape : public TensorShapeRep {
 public:
  // A shape of unknown rank.
  PartialTensorShape() { SetUnknownRank(); }
  PartialTensorShape(std::initializer_list<int64_t> sizes)
      : PartialTensorShape(
            absl::Span<const int64_t>(sizes.begin(), sizes.size())) {}
  explicit PartialTensorShape(absl::Span<const int64_t> sizes);
  explicit PartialTensorShape(const TensorShapeProto& proto);
  PartialTensorShape(
      const TensorShape& shape);  // NOLINT: a known shape is one.

  static bool IsValid(const TensorShapeProto& proto);
  static Status IsValidShape(const TensorShapeProto& proto);
  using TensorShapeRep::IsValid;

  // Fills `out`, or leaves it as it was and returns InvalidArgument, also for a
  // proto of unknown rank that has dimensions.
  static Status BuildPartialTensorShape(absl::Span<const int64_t> sizes,
                                        PartialTensorShape* out);
  static Status BuildPartialTensorShape(const TensorShapeProto& proto,
                                        PartialTensorShape* out);

  // -1 if a size or the rank is unknown; 0 if the shape is invalid.
  int64_t num_elements() const;
  // -1 if the size, or the rank, is unknown.  WrongUse for a position beyond a
  // known rank.
  int64_t dim_size(int d) const;
  bool IsFullyDefined() const;

  void AddDim(int64_t size) { AddSize(size, /*may_be_unknown=*/true); }
  Status AddDimWithStatus(int64_t size);
  void set_dim(int d, int64_t size);
  Status SetDimWithStatus(int d, int64_t size);
  void RemoveDim(int d);
  // This shape followed by one more dimension, or all of another's; its rank is
  // unknown if either rank is.  The result may be invalid: the form with a
  // Status is InvalidArgument then and leaves `out` alone.
  PartialTensorShape Concatenate(int64_t size) const;
  PartialTensorShape Concatenate(const PartialTensorShape& shape) const;
  Status ConcatenateWithStatus(const PartialTensorShape& shape,
                               PartialTensorShape* out) const;

  // The shape with all that is known of either; InvalidArgument, with both
  // shapes, if the ranks or two known sizes differ.  `result` may be this
  // shape, and is left alone on failure.
  Status MergeWith(const PartialTensorShape& shape,
                   PartialTensorShape* result) const;
  // Some shape fits both: equal ranks, and equal sizes wherever both are known;
  // or either rank is unknown.
  bool IsCompatibleWith(const PartialTensorShape& shape) const;
  bool IsCompatibleWith(const TensorShape& shape) const;
  // True if the same is known of both, as for ==.  Two unknown sizes are
  // identical.
  bool IsIdenticalTo(const PartialTensorShape& shape) const;

  // False if something is unknown, or if the shape is invalid.
  bool AsTensorShape(TensorShape* shape) const;
  void AsProto(TensorShapeProto* proto) const;
  static std::string DebugString(const TensorShapeProto& proto);
  using TensorShapeRep::DebugString;

  friend bool operator==(const PartialTensorShape& a,
                         const PartialTensorShape& b) {
    return a.IsIdenticalTo(b);
  }
  friend bool operator!=(const PartialTensorShape& a,
                         const PartialTensorShape& b) {
    return !(a == b);
  }

  TensorShapeIter<PartialTensorShape> begin() const { return {this, 0}; }
  TensorShapeIter<PartialTensorShape> end() const {
    return {this, unknown_rank_ ? 0 : dims()};
  }

 private:
  void SetUnknownRank() {
    unknown_rank_ = true;
    num_elements_ = -1;
  }
};

inline std::ostream& operator<<(std::ostream& os, const TensorShape& s) {
  return os << s.DebugString();
}
inline std::ostream& operator<<(std::ostream& os, const PartialTensorShape& s) {
  return os << s.DebugString();
}

// Questions about shapes.  All are static and pure; any thread may ask.
class TensorShapeUtils {
 public:
  static bool IsScalar(const TensorShape& s) { return s.dims() == 0; }
  static bool IsVector(const TensorShape& s) { return s.dims() == 1; }
  static bool IsVectorOrHigher(const TensorShape& s) { return s.dims() >= 1; }
  static bool IsMatrix(const TensorShape& s) { return s.dims() == 2; }
  static bool IsSquareMatrix(const TensorShape& s) {
    return s.dims() == 2 && s.dim_size(0) == s.dim_size(1);
  }
  static bool IsMatrixOrHigher(const TensorShape& s) { return s.dims() >= 2; }
  // A scalar, or a vector of one element, which older programs use for one.
  static bool IsLegacyScalar(const TensorShape& s) {
    return s.dims() == 0 || (s.dims() == 1 && s.dim_size(0) == 1);
  }
  static bool IsLegacyVector(const TensorShape& s) { return s.dims() <= 1; }
  static bool IsSingleElement(const TensorShape& s) {
    return s.num_elements() == 1;
  }

  // Sizes from untrusted numbers: InvalidArgument for a negative size, too many
  // dimensions or an overflow, with `out` left as it was.  `n` numbers are
  // read; they need not outlive the call.
  static Status MakeShape(const int32_t* sizes, int64_t n, TensorShape* out);
  static Status MakeShape(const int64_t* sizes, int64_t n, TensorShape* out);
  static Status MakeShape(absl::Span<const int32_t> sizes, TensorShape* out);
  static Status MakeShape(absl::Span<const int64_t> sizes, TensorShape* out);
  // The same with -1 for an unknown size.
  static Status MakeShape(const int32_t* sizes, int64_t n,
                          PartialTensorShape* out);
  static Status MakeShape(const int64_t* sizes, int64_t n,
                          PartialTensorShape* out);
  static Status MakeShape(absl::Span<const int32_t> sizes,
                          PartialTensorShape* out);
  static Status MakeShape(absl::Span<const int64_t> sizes,
                          PartialTensorShape* out);

  // "[[2,3], [4]]".
  static std::string ShapeListString(absl::Span<const TensorShape> shapes);
  static std::string ShapeListString(
      absl::Span<const PartialTensorShape> shapes);

  // Are the first (last) sizes of `shape` those of the other shape? True if
  // that is a scalar.
  static bool StartsWith(const TensorShape& shape, const TensorShape& prefix);
  static bool EndsWith(const TensorShape& shape, const TensorShape& suffix);

  // The product of the sizes; InvalidArgument as for MakeShape.
  static Status NumElements(absl::Span<const int64_t> sizes, int64_t* n);
};

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_FRAMEWORK_TENSOR_SHAPE_H_
