// SPDX-License-Identifier: Apache-2.0
// Copies of rows, by the kind of element.
#include "core/kernels/data_flow/batch_rows.h"

#include <algorithm>
#include <cstring>
#include <string>

#include "core/framework/resource_handle.h"
#include "core/framework/variant.h"
#include "core/lib/core/errors.h"

namespace tensorwright {
namespace {

// Copies elements [from_start, from_start + n) to [to_start, ...).
void CopyElements(const Tensor& from, int64_t from_start, int64_t n,
                  int64_t to_start, Tensor* to) {
  if (n == 0) return;
  switch (from.dtype()) {
    case DT_STRING:
      std::copy_n(from.base<std::string>() + from_start, n,
                  to->base<std::string>() + to_start);
      return;
    case DT_RESOURCE:
      std::copy_n(from.base<ResourceHandle>() + from_start, n,
                  to->base<ResourceHandle>() + to_start);
      return;
    case DT_VARIANT:
      std::copy_n(from.base<Variant>() + from_start, n,
                  to->base<Variant>() + to_start);
      return;
    default:
      break;
  }
  const int64_t size = DataTypeSize(from.dtype());
  std::memcpy(to->base<char>() + to_start * size,
              from.base<char>() + from_start * size, n * size);
}

// Copies a smaller tensor into the corner of the place that starts at element
// `start` of `to` and has `shape`.
void CopyCorner(const Tensor& from, const TensorShape& shape, int64_t start,
                Tensor* to) {
  const int rank = shape.dims();
  if (from.NumElements() == 0) return;
  if (rank == 0) return CopyElements(from, 0, 1, start, to);
  // A run is a row of the innermost dimension; `place` counts through the
  // others.
  const int64_t run = from.dim_size(rank - 1);
  std::vector<int64_t> place(rank, 0);
  for (int64_t done = 0; done < from.NumElements(); done += run) {
    int64_t at = 0;
    for (int d = 0; d < rank; ++d) at = at * shape.dim_size(d) + place[d];
    CopyElements(from, done, run, start + at, to);
    for (int d = rank - 2; d >= 0; --d) {
      if (++place[d] < from.dim_size(d)) break;
      place[d] = 0;
    }
  }
}

}  // namespace

TensorShape RowShape(const TensorShape& batch) {
  TensorShape row = batch;
  row.RemoveDim(0);
  return row;
}

Status CopyRow(const Tensor& batch, int64_t index, Tensor* row) {
  TF_RETURN_IF_ERROR(
      Tensor::BuildTensor(batch.dtype(), RowShape(batch.shape()), row));
  const int64_t n = row->NumElements();
  CopyElements(batch, index * n, n, 0, row);
  return OkStatus();
}

Status StackRows(DataType dtype, const TensorShape& shape,
                 absl::Span<const Tensor* const> rows, Tensor* batch) {
  TensorShape whole = shape;
  TF_RETURN_IF_ERROR(
      whole.InsertDimWithStatus(0, static_cast<int64_t>(rows.size())));
  TF_RETURN_IF_ERROR(Tensor::BuildTensor(dtype, whole, batch));
  const int64_t n = shape.num_elements();
  const bool padded =
      std::any_of(rows.begin(), rows.end(),
                  [&](const Tensor* r) { return r->shape() != shape; });
  // Strings and handles are empty from the start.
  if (padded && DataTypeCanUseMemcpy(dtype)) {
    std::memset(batch->data(), 0, batch->TotalBytes());
  }
  for (size_t i = 0; i < rows.size(); ++i) {
    const int64_t start = static_cast<int64_t>(i) * n;
    if (rows[i]->NumElements() == n) {
      CopyElements(*rows[i], 0, n, start, batch);
    } else {
      CopyCorner(*rows[i], shape, start, batch);
    }
  }
  return OkStatus();
}

Status OwnTensor(const Tensor& tensor, Tensor* owned) {
  if (tensor.RefCountIsOne() || tensor.NumElements() == 0) {
    *owned = tensor;
    return OkStatus();
  }
  TF_RETURN_IF_ERROR(
      Tensor::BuildTensor(tensor.dtype(), tensor.shape(), owned));
  CopyElements(tensor, 0, tensor.NumElements(), 0, owned);
  return OkStatus();
}

}  // namespace tensorwright
