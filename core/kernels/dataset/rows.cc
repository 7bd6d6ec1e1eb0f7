// SPDX-License-Identifier: Apache-2.0
// Rows of tensors as elements, and elements as rows of a batch.
#include "core/kernels/dataset/rows.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "core/lib/core/errors.h"
#include "core/util/batch_util.h"

namespace tensorwright {
namespace {

// A batch has room for this many rows before the first has come; it grows after
// that, so that an enormous batch_size costs nothing.
constexpr int64_t kFirstRows = 4096;

}  // namespace

Status RowAt(const Tensor& from, int64_t index, Tensor* row) {
  TensorShape shape = from.shape();
  shape.RemoveDim(0);
  Tensor copy;
  TF_RETURN_IF_ERROR(Tensor::BuildTensor(from.dtype(), shape, &copy));
  if (DataTypeCanUseMemcpy(from.dtype())) {
    const size_t bytes = copy.tensor_data().size();
    if (bytes > 0) {
      std::memcpy(copy.data(),
                  static_cast<const char*>(from.data()) + index * bytes, bytes);
    }
  } else {
    TF_RETURN_IF_ERROR(batch_util::CopySliceToElement(from, &copy, index));
  }
  *row = std::move(copy);
  return OkStatus();
}

Status BatchBuilder::Begin(const Element& element) {
  capacity_ = std::min(batch_size_, kFirstRows);
  columns_.clear();
  columns_.resize(element.size());
  for (size_t i = 0; i < element.size(); ++i) {
    Column& column = columns_[i];
    const Tensor& tensor = element[i];
    column.shape = tensor.shape();
    TensorShape rows = tensor.shape();
    TF_RETURN_IF_ERROR(rows.InsertDimWithStatus(0, capacity_));
    TF_RETURN_IF_ERROR(Tensor::BuildTensor(tensor.dtype(), rows, &column.rows));
    column.bytes = DataTypeCanUseMemcpy(tensor.dtype())
                       ? tensor.NumElements() * DataTypeSize(tensor.dtype())
                       : 0;
  }
  return OkStatus();
}

Status BatchBuilder::Grow() {
  const int64_t capacity = std::min(batch_size_, 2 * capacity_);
  for (Column& column : columns_) {
    TensorShape shape = column.shape;
    TF_RETURN_IF_ERROR(shape.InsertDimWithStatus(0, capacity));
    Tensor larger;
    TF_RETURN_IF_ERROR(
        Tensor::BuildTensor(column.rows.dtype(), shape, &larger));
    if (column.bytes > 0) {
      std::memcpy(larger.data(), column.rows.data(), size_ * column.bytes);
    } else if (column.rows.NumElements() > 0) {
      Tensor row(column.rows.dtype(), column.shape);
      for (int64_t i = 0; i < size_; ++i) {
        TF_RETURN_IF_ERROR(
            batch_util::CopySliceToElement(column.rows, &row, i));
        TF_RETURN_IF_ERROR(batch_util::CopyElementToSlice(row, &larger, i));
      }
    }
    column.rows = std::move(larger);
  }
  capacity_ = capacity;
  return OkStatus();
}

Status BatchBuilder::Add(const Element& element) {
  if (size_ == 0) {
    TF_RETURN_IF_ERROR(Begin(element));
  } else if (size_ == capacity_) {
    TF_RETURN_IF_ERROR(Grow());
  }
  for (size_t i = 0; i < element.size(); ++i) {
    Column& column = columns_[i];
    if (!element[i].shape().IsSameSize(column.shape)) {
      return errors::InvalidArgument(
          "Cannot batch tensors with different shapes in component ", i,
          ": the first element had shape ", column.shape.DebugString(),
          ", element ", size_, " has ", element[i].shape().DebugString());
    }
    if (column.bytes > 0) {
      std::memcpy(static_cast<char*>(column.rows.data()) + size_ * column.bytes,
                  element[i].data(), column.bytes);
    } else if (element[i].NumElements() > 0) {
      TF_RETURN_IF_ERROR(
          batch_util::CopyElementToSlice(element[i], &column.rows, size_));
    }
  }
  ++size_;
  return OkStatus();
}

Element BatchBuilder::Finish() {
  Element batch;
  batch.reserve(columns_.size());
  for (Column& column : columns_) {
    batch.push_back(size_ == capacity_ ? std::move(column.rows)
                                       : column.rows.Slice(0, size_));
  }
  columns_.clear();
  size_ = 0;
  return batch;
}

}  // namespace tensorwright
