// SPDX-License-Identifier: Apache-2.0
#include "core/kernels/functional/batch_function_op_rows.h"

#include <numeric>

#include "absl/strings/str_join.h"
#include "core/framework/tensor_util.h"
#include "core/lib/core/errors.h"

namespace tensorwright {

int64_t BatchOptions::Padding(int64_t rows) const {
  if (rows == 0) return 0;
  for (const int64_t size : allowed_batch_sizes) {
    if (size >= rows) return size - rows;
  }
  return 0;
}

int64_t BatchOptions::SizeBelow(int64_t rows) const {
  int64_t below = 0;
  for (const int64_t size : allowed_batch_sizes) {
    if (size <= rows) below = size;
  }
  return below;
}

Status BatchOptions::Check(const std::string& op) const {
  const auto at_least = [&op](const char* name, int64_t value, int64_t least) {
    if (value >= least) return OkStatus();
    return errors::InvalidArgument(op, ": ", name, " must be >= ", least,
                                   ", got ", value);
  };
  TF_RETURN_IF_ERROR(at_least("max_batch_size", max_batch_size, 1));
  TF_RETURN_IF_ERROR(at_least("batch_timeout_micros", batch_timeout_micros, 0));
  TF_RETURN_IF_ERROR(at_least("max_enqueued_batches", max_enqueued_batches, 1));
  int64_t last = 0;
  for (const int64_t size : allowed_batch_sizes) {
    if (size <= last) {
      return errors::InvalidArgument(
          op,
          ": allowed_batch_sizes entries must be positive and monotonically "
          "increasing, got [",
          absl::StrJoin(allowed_batch_sizes, ", "), "]");
    }
    last = size;
  }
  if (last != 0 &&
      (last > max_batch_size || (last != max_batch_size && !splits))) {
    return errors::InvalidArgument(
        op, ": the final entry in allowed_batch_sizes must ",
        splits ? "not be above" : "equal", " max_batch_size, ", max_batch_size,
        ", got ", last);
  }
  return OkStatus();
}

Status JoinRows(std::vector<Tensor> parts, int64_t padding, Tensor* joined) {
  if (padding > 0) {
    parts.resize(parts.size() + padding, parts[0].Slice(0, 1));
  }
  if (parts.size() > 1) return tensor::Concat(parts, joined);
  *joined = std::move(parts[0]);
  return OkStatus();
}

Status SplitRows(int output, const Tensor& result,
                 absl::Span<const int64_t> sizes, std::vector<Tensor>* parts) {
  const int64_t rows = std::accumulate(sizes.begin(), sizes.end(), int64_t{0});
  if (result.dims() == 0 || result.dim_size(0) != rows) {
    return errors::FailedPrecondition(
        "BatchFunction: the results of f must have as many rows as its "
        "arguments, ",
        rows, ", got output ", output, " of shape ",
        result.shape().DebugString());
  }
  if (sizes.size() == 2 && sizes[1] == 0) {
    *parts = {result, Tensor()};
    return OkStatus();
  }
  return tensor::Split(result, sizes, parts);
}

}  // namespace tensorwright
