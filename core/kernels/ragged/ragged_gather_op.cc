// SPDX-License-Identifier: Apache-2.0
// The kernel of RaggedGather.

#include <cstdint>
#include <vector>

#include "core/framework/op_kernel.h"
#include "core/kernels/lib/element_dispatch.h"
#include "core/lib/core/errors.h"
#include "core/util/int_elements.h"

namespace tensorwright {
namespace {

// Rows [begin, end) of a dimension, or values.
struct Run {
  int64_t begin, end;
};

// splits: a vector that is not empty, does not decrease, and stays within what
// the next dimension has.
Status CheckSplits(const Tensor& splits, int dimension, int64_t below) {
  if (splits.dims() != 1 || splits.NumElements() == 0) {
    return errors::InvalidArgument(
        "RaggedGather: splits of ragged dimension ", dimension,
        " must be a vector that is not empty, got shape ",
        splits.shape().DebugString());
  }
  int64_t last = 0;
  for (int64_t i = 0; i < splits.NumElements(); ++i) {
    const int64_t split = IntAt(splits, i);
    if (split < last || split > below) {
      return errors::InvalidArgument(
          "RaggedGather: splits of ragged dimension ", dimension,
          " must not decrease, from 0 to ", below, ", got ", split, " at ", i);
    }
    last = split;
  }
  return OkStatus();
}

Status PutSplit(int64_t at, int64_t value, Tensor* splits) {
  if (splits->dtype() == DT_INT64) {
    splits->base<int64_t>()[at] = value;
    return OkStatus();
  }
  if (value > INT32_MAX) {
    return errors::InvalidArgument(
        "RaggedGather: the result has more values than int32 splits count");
  }
  splits->base<int32_t>()[at] = static_cast<int32_t>(value);
  return OkStatus();
}

}  // namespace

class RaggedGatherOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* ctx) override {
    const int params_rank = ctx->num_inputs() - 2;
    const int output_rank = ctx->num_outputs() - 1;
    const Tensor& values = ctx->input(params_rank);
    const Tensor& indices = ctx->input(params_rank + 1);
    OP_REQUIRES(ctx, values.dims() >= 1,
                errors::InvalidArgument(
                    "RaggedGather: params_dense_values must have rank >= 1, "
                    "got shape ",
                    values.shape().DebugString()));
    OP_REQUIRES(ctx, output_rank == params_rank - 1 + indices.dims(),
                errors::InvalidArgument(
                    "RaggedGather: OUTPUT_RAGGED_RANK must be that of params, ",
                    params_rank, ", less 1 plus the rank of indices, ",
                    indices.dims(), ", got ", output_rank));
    for (int d = 0; d < params_rank; ++d) {
      const Tensor& splits = ctx->input(d);
      const int64_t below = d + 1 < params_rank
                                ? ctx->input(d + 1).NumElements() - 1
                                : values.dim_size(0);
      OP_REQUIRES_OK(ctx, CheckSplits(splits, d, below));
    }
    const int64_t rows = ctx->input(0).NumElements() - 1;
    std::vector<Run> runs;
    runs.reserve(indices.NumElements());
    for (int64_t i = 0; i < indices.NumElements(); ++i) {
      const int64_t row = IntAt(indices, i);
      OP_REQUIRES(ctx, row >= 0 && row < rows,
                  errors::InvalidArgument("RaggedGather: indices[", i, "] = ",
                                          row, " is not in [0, ", rows, ")"));
      runs.push_back({row, row + 1});
    }
    OP_REQUIRES_OK(ctx, PutSplitsOfIndices(ctx, indices));
    for (int d = 0; d < params_rank; ++d) {
      const Tensor& splits = ctx->input(d);
      // A scalar's row has no splits around it: its values stand alone.
      const int at = d + indices.dims() - 1;
      if (at >= 0) {
        OP_REQUIRES_OK(ctx, PutSizes(ctx, splits, runs, at));
      }
      for (Run& run : runs) {
        run = {IntAt(splits, run.begin), IntAt(splits, run.end)};
      }
    }
    TensorShape shape = values.shape();
    int64_t count = 0;
    for (const Run& run : runs) count += run.end - run.begin;
    OP_REQUIRES_OK(ctx, shape.SetDimWithStatus(0, count));
    Tensor* output = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(output_rank, shape, &output));
    if (output->NumElements() == 0) return;
    const int64_t size = values.NumElements() / values.dim_size(0);
    OP_REQUIRES_OK(
        ctx, DispatchElement(values.dtype(), [&]<typename T>(ElementTag<T>) {
          T* to = output->base<T>();
          for (const Run& run : runs) {
            const int64_t n = (run.end - run.begin) * size;
            CopyRun(values.base<T>() + run.begin * size, n, to);
            to += n;
          }
        }));
  }

 private:
  // The dimensions of indices but the first become rows of equal size.
  static Status PutSplitsOfIndices(OpKernelContext* ctx,
                                   const Tensor& indices) {
    int64_t rows = 1;
    for (int d = 0; d + 1 < indices.dims(); ++d) {
      const int64_t size = indices.dim_size(d);
      if (size > 0 && rows > INT64_MAX / size - 1) {
        return errors::InvalidArgument(
            "RaggedGather: indices have too many rows, shape ",
            indices.shape().DebugString());
      }
      rows *= size;
      Tensor* splits = nullptr;
      TF_RETURN_IF_ERROR(
          ctx->allocate_output(d, TensorShape({rows + 1}), &splits));
      for (int64_t i = 0; i <= rows; ++i) {
        TF_RETURN_IF_ERROR(PutSplit(i, i * indices.dim_size(d + 1), splits));
      }
    }
    return OkStatus();
  }

  // Output `at`: the splits of the rows in `runs`, which `splits` is about.
  static Status PutSizes(OpKernelContext* ctx, const Tensor& splits,
                         const std::vector<Run>& runs, int at) {
    int64_t rows = 0;
    for (const Run& run : runs) rows += run.end - run.begin;
    Tensor* output = nullptr;
    TF_RETURN_IF_ERROR(
        ctx->allocate_output(at, TensorShape({rows + 1}), &output));
    int64_t i = 0, sum = 0;
    TF_RETURN_IF_ERROR(PutSplit(i++, 0, output));
    for (const Run& run : runs) {
      for (int64_t row = run.begin; row < run.end; ++row) {
        sum += IntAt(splits, row + 1) - IntAt(splits, row);
        TF_RETURN_IF_ERROR(PutSplit(i++, sum, output));
      }
    }
    return OkStatus();
  }
};

REGISTER_KERNEL_BUILDER(Name("RaggedGather").Device(DEVICE_CPU),
                        RaggedGatherOp);

}  // namespace tensorwright
