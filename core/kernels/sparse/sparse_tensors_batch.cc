// SPDX-License-Identifier: Apache-2.0
#include "core/kernels/sparse/sparse_tensors_batch.h"

#include <algorithm>
#include <utility>

namespace tensorwright {
namespace {

// Copies elements [begin, end) of `in` without their first coordinate.
Status CutRow(const SparseInput& in, int64_t begin, int64_t end,
              const Tensor& shape, SparseParts* row) {
  const int64_t n = end - begin, rank = in.rank() - 1;
  TF_RETURN_IF_ERROR(
      Tensor::BuildTensor(DT_INT64, TensorShape({n, rank}), &row->indices));
  TF_RETURN_IF_ERROR(
      Tensor::BuildTensor(in.values.dtype(), TensorShape({n}), &row->values));
  row->shape = shape;
  int64_t* to = row->indices.base<int64_t>();
  for (int64_t i = begin; i < end; ++i, to += rank) {
    std::copy_n(in.rows()[i] + 1, rank, to);
  }
  return DispatchElement(in.values.dtype(), [&]<typename T>(ElementTag<T>) {
    CopyRun(in.values.base<T>() + begin, n, row->values.base<T>());
  });
}

// Finds the largest sizes of all parts; InvalidArgument if one is not a sparse
// tensor.
Status LargestSizes(const std::vector<SparseParts>& parts,
                    std::vector<int64_t>* sizes) {
  for (size_t i = 0; i < parts.size(); ++i) {
    const SparseParts& part = parts[i];
    TF_RETURN_IF_ERROR(
        sparse::CheckParts("", part.indices, part.values, part.shape));
    const auto own = sparse::SizesOf(part.shape);
    if (i == 0) {
      sizes->assign(own.begin(), own.end());
    } else if (own.size() != sizes->size()) {
      return errors::InvalidArgument(
          "Inconsistent rank across SparseTensors: rank prior to "
          "SparseTensor[",
          i, "] was ", sizes->size(), " but rank of SparseTensor[", i, "] is ",
          own.size());
    }
    for (size_t d = 0; d < own.size(); ++d) {
      (*sizes)[d] = std::max((*sizes)[d], own[d]);
    }
  }
  return OkStatus();
}

}  // namespace

Status CutIntoRows(const SparseInput& in, std::vector<SparseParts>* rows) {
  TF_RETURN_IF_ERROR(in.Check());
  if (in.rank() < 2) {
    return errors::InvalidArgument(
        "Rank of input SparseTensor should be > 1, but saw rank: ", in.rank());
  }
  TensorShape whole;
  TF_RETURN_IF_ERROR(ShapeOf(in.sizes(), &whole));
  TF_RETURN_IF_ERROR(
      sparse::CheckOrdered(in.rows(), in.sizes(), AllDims(in.rank())));
  const int64_t n = in.sizes()[0];
  Tensor shape;
  TF_RETURN_IF_ERROR(
      Tensor::BuildTensor(DT_INT64, TensorShape({in.rank() - 1}), &shape));
  std::copy(in.sizes().begin() + 1, in.sizes().end(), shape.base<int64_t>());
  SparseParts none;
  TF_RETURN_IF_ERROR(CutRow(in, 0, 0, shape, &none));
  rows->assign(n, none);
  const sparse::Rows index = in.rows();
  for (int64_t begin = 0, end = 0; begin < index.n; begin = end) {
    const int64_t row = index[begin][0];
    while (end < index.n && index[end][0] == row) ++end;
    TF_RETURN_IF_ERROR(CutRow(in, begin, end, shape, &(*rows)[row]));
  }
  return OkStatus();
}

Status JoinRows(OpKernelContext* ctx, const std::vector<SparseParts>& parts,
                absl::Span<const int64_t> outer) {
  std::vector<int64_t> largest;
  TF_RETURN_IF_ERROR(LargestSizes(parts, &largest));
  std::vector<int64_t> sizes(outer.begin(), outer.end());
  sizes.insert(sizes.end(), largest.begin(), largest.end());
  int64_t n = 0;
  for (const SparseParts& part : parts) n += part.values.NumElements();
  Tensor *indices = nullptr, *values = nullptr;
  const int64_t rank = static_cast<int64_t>(sizes.size());
  TF_RETURN_IF_ERROR(ctx->allocate_output(0, TensorShape({n, rank}), &indices));
  TF_RETURN_IF_ERROR(ctx->allocate_output(1, TensorShape({n}), &values));
  TF_RETURN_IF_ERROR(SetSizes(ctx, 2, sizes));

  int64_t* to = indices->base<int64_t>();
  std::vector<int64_t> place(outer.size(), 0);
  for (const SparseParts& part : parts) {
    const sparse::Rows rows = sparse::RowsOf(part.indices);
    for (int64_t i = 0; i < rows.n; ++i) {
      to = std::copy(place.begin(), place.end(), to);
      to = std::copy_n(rows[i], rows.rank, to);
    }
    for (size_t d = outer.size(); d-- > 0 && ++place[d] == outer[d];) {
      place[d] = 0;
    }
  }
  return DispatchElement(values->dtype(), [&]<typename T>(ElementTag<T>) {
    T* value = values->base<T>();
    for (const SparseParts& part : parts) {
      CopyRun(part.values.base<T>(), part.values.NumElements(), value);
      value += part.values.NumElements();
    }
  });
}

}  // namespace tensorwright
