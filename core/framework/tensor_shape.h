// SPDX-License-Identifier: Apache-2.0
// The shape of a tensor, fully known (TensorShape) or in part
// (PartialTensorShape).
//
// Shapes are values: copies share nothing, and const methods may be called by
// many threads.  A shape from outside (a proto, a tensor of sizes) may be too
// large or negative; see TensorShapeRep for what becomes of it.
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

// All sizes.  TensorFlow has them in an InlinedVector, and its readers name
// that type.
class DimSizes : public absl::Span<const int64_t> {
 public:
  explicit DimSizes(absl::Span<const int64_t> sizes)
      : absl::Span<const int64_t>(sizes) {}
  template <size_t N>
  operator absl::InlinedVector<int64_t, N>() const {  // NOLINT
    return absl::InlinedVector<int64_t, N>(begin(), end());
  }
};

// Iterates over a shape's dimensions.
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

// What both kinds share.  A shape's rank is at most MaxDimensions() and the
// product of its sizes fits an int64.  All arithmetic is checked: the
// ...WithStatus forms and MakeShape return InvalidArgument; the plain forms
// (AddDim, the constructors) make the shape invalid instead of ending the
// process.  An invalid shape has no elements, and allocating a tensor of it
// fails with InvalidArgument.
class TensorShapeRep {
 public:
  static constexpr int MaxDimensions() { return 254; }

  bool IsValid() const { return num_elements_ != kInvalid; }
  // OK, or which limit the shape breaks.
  Status CheckValid() const;

  // "[2,3]"; "[2,?]" where unknown, "<unknown>" for an unknown rank.
  std::string DebugString() const;

  // -1 if the rank is unknown.
  int dims() const {
    return unknown_rank_ ? -1 : static_cast<int>(dims_.size());
  }
  bool unknown_rank() const { return unknown_rank_; }
  DimSizes dim_sizes() const { return DimSizes(dims_); }

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

// Every size is known and >= 0.
class TensorShape : public TensorShapeRep {
 public:
  // A scalar: rank 0, one element.
  TensorShape() = default;
  TensorShape(std::initializer_list<int64_t> sizes)
      : TensorShape(absl::Span<const int64_t>(sizes.begin(), sizes.size())) {}
  explicit TensorShape(absl::Span<const int64_t> sizes);
  explicit TensorShape(const TensorShapeProto& proto);

  static bool IsValid(const TensorShapeProto& proto);
  static Status IsValidShape(const TensorShapeProto& proto);
  using TensorShapeRep::IsValid;

  // Fill `out`; on failure it is left as it was.
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

  void AddDim(int64_t size) { AddSize(size, /*may_be_unknown=*/false); }
  Status AddDimWithStatus(int64_t size);
  void AppendShape(const TensorShape& shape);
  Status AppendShapeWithStatus(const TensorShape& shape);
  // Puts a dimension before dimension `d`, 0 <= d <= dims().
  void InsertDim(int d, int64_t size);
  Status InsertDimWithStatus(int d, int64_t size);
  void set_dim(int d, int64_t size);
  Status SetDimWithStatus(int d, int64_t size);
  void RemoveDim(int d);
  Status RemoveDimWithStatus(int d);
  // Drops dimensions [begin, end), where negative positions count from the
  // back: RemoveDimRange(1, -1).
  void RemoveDimRange(int begin, int end);
  void RemoveLastDims(int n);

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
  void DumpRep() const;
  static std::string DebugString(const TensorShapeProto& proto);
  using TensorShapeRep::DebugString;

  // The sizes as Eigen wants them; NDIMS must equal dims().  The ...WithPadding
  // form puts ones behind. Defined in core/framework/tensor_types.h.
  template <int NDIMS, typename IndexType = std::ptrdiff_t>
  Eigen::DSizes<IndexType, NDIMS> AsEigenDSizes() const;
  template <int NDIMS, typename IndexType = std::ptrdiff_t>
  Eigen::DSizes<IndexType, NDIMS> AsEigenDSizesWithPadding() const;

 private:
  [[noreturn]] void ThrowNoDim(int d) const;
  [[noreturn]] void ThrowNotOfRank(int rank) const;
  friend class PartialTensorShape;
};

// A size may be unknown (-1), and so may the rank.
class PartialTensorShape : public TensorShapeRep {
 public:
  // Of unknown rank.
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

  static Status BuildPartialTensorShape(absl::Span<const int64_t> sizes,
                                        PartialTensorShape* out);
  static Status BuildPartialTensorShape(const TensorShapeProto& proto,
                                        PartialTensorShape* out);

  // -1 if a size or the rank is unknown.
  int64_t num_elements() const;
  // -1 if unknown.
  int64_t dim_size(int d) const;
  bool IsFullyDefined() const;

  void AddDim(int64_t size) { AddSize(size, /*may_be_unknown=*/true); }
  Status AddDimWithStatus(int64_t size);
  void set_dim(int d, int64_t size);
  Status SetDimWithStatus(int d, int64_t size);
  void RemoveDim(int d);
  PartialTensorShape Concatenate(int64_t size) const;
  PartialTensorShape Concatenate(const PartialTensorShape& shape) const;
  Status ConcatenateWithStatus(const PartialTensorShape& shape,
                               PartialTensorShape* out) const;

  // What is known of either; InvalidArgument where both are known and differ.
  Status MergeWith(const PartialTensorShape& shape,
                   PartialTensorShape* result) const;
  // Some shape fits both.
  bool IsCompatibleWith(const PartialTensorShape& shape) const;
  bool IsCompatibleWith(const TensorShape& shape) const;
  // The same is known of both.
  bool IsIdenticalTo(const PartialTensorShape& shape) const;

  // False if something is unknown.
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

// Questions about shapes.
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
  // A scalar, or what older programs give for one: a vector of one element.
  static bool IsLegacyScalar(const TensorShape& s) {
    return s.dims() == 0 || (s.dims() == 1 && s.dim_size(0) == 1);
  }
  static bool IsLegacyVector(const TensorShape& s) { return s.dims() <= 1; }
  static bool IsSingleElement(const TensorShape& s) {
    return s.num_elements() == 1;
  }

  // Sizes from untrusted numbers: InvalidArgument for a negative size, too many
  // dimensions or an overflow.
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

  static bool StartsWith(const TensorShape& shape, const TensorShape& prefix);
  static bool EndsWith(const TensorShape& shape, const TensorShape& suffix);

  // InvalidArgument if the product of sizes [begin, end) overflows.
  static Status NumElements(absl::Span<const int64_t> sizes, int64_t* n);
};

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_FRAMEWORK_TENSOR_SHAPE_H_
