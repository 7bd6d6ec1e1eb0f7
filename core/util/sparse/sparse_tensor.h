// SPDX-License-Identifier: Apache-2.0
// SparseTensor: the positions and values of the elements that are not zero.
#ifndef TENSORWRIGHT_CORE_UTIL_SPARSE_SPARSE_TENSOR_H_
#define TENSORWRIGHT_CORE_UTIL_SPARSE_SPARSE_TENSOR_H_

#include <algorithm>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "absl/types/span.h"
#include "core/framework/tensor_types.h"
#include "core/framework/types.h"
#include "core/lib/core/errors.h"
#include "core/lib/core/status.h"
#include "core/util/sparse/group_iterator.h"
#include "core/util/sparse/sparse_rows.h"

namespace tensorwright {
namespace sparse {

// The result of SparseTensor::IndicesValid: a Status in TensorFlow 2.x, a bool
// in 1.x.
class Validity {
 public:
  Validity(Status status) : status_(std::move(status)) {}  // NOLINT
  operator Status() const { return status_; }              // NOLINT
  explicit operator bool() const { return status_.ok(); }
  bool ok() const { return status_.ok(); }
  std::string ToString() const { return status_.ToString(); }

 private:
  Status status_;
};

// Shares the buffers of the two tensors that it is made of.
class SparseTensor {
 public:
  using VarDimArray = absl::Span<const int64_t>;
  using ShapeArray = absl::InlinedVector<int64_t, 8>;

  SparseTensor() = default;
  // `order` gives the dimensions by which the indices are sorted, most
  // important first; without it the order is unknown.  Sizes that do not fit
  // are the caller's bug; Create() checks them.
  SparseTensor(Tensor ix, Tensor vals, VarDimArray shape, VarDimArray order);
  SparseTensor(Tensor ix, Tensor vals, const TensorShape& shape)
      : SparseTensor(std::move(ix), std::move(vals), shape.dim_sizes(), {}) {}
  SparseTensor(Tensor ix, Tensor vals, const TensorShape& shape,
               VarDimArray order)
      : SparseTensor(std::move(ix), std::move(vals), shape.dim_sizes(), order) {
  }

  // ix: int64 [n, dims]; vals: [n]; shape and order: dims numbers.
  static Status Create(Tensor ix, Tensor vals, VarDimArray shape,
                       VarDimArray order, SparseTensor* result);
  static Status Create(Tensor ix, Tensor vals, const TensorShape& shape,
                       SparseTensor* result) {
    return Create(std::move(ix), std::move(vals), shape.dim_sizes(), {},
                  result);
  }
  static Status Create(Tensor ix, Tensor vals, VarDimArray shape,
                       SparseTensor* result) {
    return Create(std::move(ix), std::move(vals), shape, {}, result);
  }
  static Status Create(Tensor ix, Tensor vals, const TensorShape& shape,
                       VarDimArray order, SparseTensor* result) {
    return Create(std::move(ix), std::move(vals), shape.dim_sizes(), order,
                  result);
  }

  int64_t num_entries() const { return ix_.dim_size(0); }
  int dims() const { return static_cast<int>(shape_.size()); }
  const Tensor& indices() const { return ix_; }
  const Tensor& values() const { return vals_; }
  DataType dtype() const { return vals_.dtype(); }
  VarDimArray shape() const { return shape_; }
  VarDimArray order() const { return order_; }

  // Are all indices in range, in order and without repetition?
  Validity IndicesValid() const;

  // Sorts the entries.
  template <typename T>
  void Reorder(const VarDimArray& order);

  // Groups of entries with equal indices in `group_ix`, which `order` must
  // begin with.
  GroupIterable group(const VarDimArray& group_ix) const {
    return GroupIterable(ix_, vals_, dims(), group_ix);
  }

  // False if `out` is too small in a dimension, of another rank or dtype, or an
  // index is out of range.
  template <typename T>
  bool ToDense(Tensor* out, bool initialize = true);

  // Joins them along the first dimension of their order.
  template <typename T>
  static SparseTensor Concat(absl::Span<const SparseTensor> tensors);

  // Cuts it into parts of (almost) equal size along a dimension; the first
  // parts take the remainder.
  template <typename T>
  static Status Split(const SparseTensor& tensor, int split_dim, int num_split,
                      std::vector<SparseTensor>* result);
  // The entries of a box, with indices counted from its corner.
  template <typename T>
  static StatusOr<SparseTensor> Slice(const SparseTensor& tensor,
                                      VarDimArray start, VarDimArray size);

  std::vector<int64_t> PickDims(VarDimArray dims) const {
    std::vector<int64_t> picked;
    for (int64_t d : dims) picked.push_back(shape_[static_cast<size_t>(d)]);
    return picked;
  }

 private:
  using Row = const int64_t*;
  Row row(int64_t i) const { return Data() + i * dims(); }
  Row Data() const { return ix_.flat<int64_t>().data(); }
  // A tensor of the entries listed.
  template <typename T>
  SparseTensor Picked(const std::vector<int64_t>& entries, ShapeArray shape,
                      VarDimArray start) const;

  Tensor ix_{DT_INT64, TensorShape({0, 0})};
  Tensor vals_{DT_FLOAT, TensorShape({0})};
  ShapeArray shape_;
  ShapeArray order_;
};

template <typename T>
SparseTensor SparseTensor::Picked(const std::vector<int64_t>& entries,
                                  ShapeArray shape, VarDimArray start) const {
  const int64_t n = static_cast<int64_t>(entries.size());
  Tensor ix(DT_INT64, TensorShape({n, dims()}));
  Tensor vals(DataTypeToEnum<T>::value, TensorShape({n}));
  int64_t* to = ix.flat<int64_t>().data();
  for (int64_t i = 0; i < n; ++i) {
    const int64_t from = entries[static_cast<size_t>(i)];
    for (int d = 0; d < dims(); ++d) {
      *to++ =
          row(from)[d] - (start.empty() ? 0 : start[static_cast<size_t>(d)]);
    }
    vals.vec<T>()(i) = vals_.vec<T>()(from);
  }
  return SparseTensor(std::move(ix), std::move(vals), shape, order_);
}

template <typename T>
void SparseTensor::Reorder(const VarDimArray& order) {
  CHECK_EQ(static_cast<int>(order.size()), dims());
  const std::vector<int64_t> entries = SortedOrder(RowsOf(ix_), shape_, order);
  const ShapeArray wanted(order.begin(), order.end());
  *this = Picked<T>(entries, shape_, {});
  order_ = wanted;
}

template <typename T>
bool SparseTensor::ToDense(Tensor* out, bool initialize) {
  if (DataTypeToEnum<T>::value != vals_.dtype() || out->dtype() != dtype() ||
      out->dims() != dims()) {
    return false;
  }
  for (int d = 0; d < dims(); ++d) {
    if (out->dim_size(d) < shape_[static_cast<size_t>(d)]) return false;
  }
  auto to = out->flat<T>();
  if (initialize) std::fill_n(to.data(), to.size(), T());
  for (int64_t i = 0; i < num_entries(); ++i) {
    int64_t at = 0;
    for (int d = 0; d < dims(); ++d) {
      const int64_t index = row(i)[d];
      if (index < 0 || index >= out->dim_size(d)) return false;
      at = at * out->dim_size(d) + index;
    }
    to(at) = vals_.vec<T>()(i);
  }
  return true;
}

template <typename T>
SparseTensor SparseTensor::Concat(absl::Span<const SparseTensor> tensors) {
  CHECK(!tensors.empty());
  const SparseTensor& first = tensors.front();
  const size_t along =
      first.order_.empty() ? 0 : static_cast<size_t>(first.order_[0]);
  int64_t n = 0;
  for (const SparseTensor& t : tensors) n += t.num_entries();
  Tensor ix(DT_INT64, TensorShape({n, first.dims()}));
  Tensor vals(DataTypeToEnum<T>::value, TensorShape({n}));
  ShapeArray shape = first.shape_;
  shape[along] = 0;
  int64_t at = 0;
  for (const SparseTensor& t : tensors) {
    CHECK_EQ(t.dims(), first.dims());
    for (int64_t i = 0; i < t.num_entries(); ++i, ++at) {
      int64_t* to = ix.flat<int64_t>().data() + at * first.dims();
      std::copy_n(t.row(i), first.dims(), to);
      to[along] += shape[along];
      vals.vec<T>()(at) = t.vals_.vec<T>()(i);
    }
    shape[along] += t.shape_[along];
  }
  return SparseTensor(std::move(ix), std::move(vals), shape, first.order_);
}

template <typename T>
Status SparseTensor::Split(const SparseTensor& tensor, int split_dim,
                           int num_split, std::vector<SparseTensor>* result) {
  if (split_dim < 0 || split_dim >= tensor.dims()) {
    return errors::InvalidArgument("split_dim must be in [0,", tensor.dims(),
                                   "), got ", split_dim);
  }
  const size_t along = static_cast<size_t>(split_dim);
  const int64_t whole = tensor.shape_[along];
  if (num_split < 1 || num_split > whole) {
    return errors::InvalidArgument("num_split must be in [1,", whole, "], got ",
                                   num_split);
  }
  result->clear();
  ShapeArray start(tensor.shape_.size(), 0), size = tensor.shape_;
  for (int i = 0; i < num_split; ++i) {
    size[along] = whole / num_split + (i < whole % num_split ? 1 : 0);
    StatusOr<SparseTensor> part = Slice<T>(tensor, start, size);
    if (!part.ok()) return part.status();
    result->push_back(*std::move(part));
    start[along] += size[along];
  }
  return Status();
}

template <typename T>
StatusOr<SparseTensor> SparseTensor::Slice(const SparseTensor& tensor,
                                           VarDimArray start,
                                           VarDimArray size) {
  const size_t dims = tensor.shape_.size();
  if (start.size() != dims || size.size() != dims) {
    return errors::InvalidArgument("start and size must have ", dims,
                                   " elements, got ", start.size(), " and ",
                                   size.size());
  }
  ShapeArray shape(dims);
  for (size_t d = 0; d < dims; ++d) {
    if (start[d] < 0 || size[d] < 0) {
      return errors::InvalidArgument("start and size must be >= 0, got ",
                                     start[d], " and ", size[d]);
    }
    shape[d] = std::clamp<int64_t>(tensor.shape_[d] - start[d], 0, size[d]);
  }
  std::vector<int64_t> entries;
  for (int64_t i = 0; i < tensor.num_entries(); ++i) {
    bool inside = true;
    for (size_t d = 0; d < dims; ++d) {
      const int64_t at = tensor.row(i)[d] - start[d];
      inside = inside && at >= 0 && at < shape[d];
    }
    if (inside) entries.push_back(i);
  }
  return tensor.Picked<T>(entries, shape, start);
}

}  // namespace sparse
}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_UTIL_SPARSE_SPARSE_TENSOR_H_
