// SPDX-License-Identifier: Apache-2.0
// Kernels that write elements of TensorArrays: one, rows, or pieces of a
// tensor.

#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "core/framework/op_kernel.h"
#include "core/framework/tensor.h"
#include "core/kernels/data_flow/tensor_array.h"
#include "core/kernels/data_flow/tensor_array_ops_handle.h"
#include "core/kernels/lib/element_dispatch.h"
#include "core/lib/core/errors.h"

namespace tensorwright {
namespace {

// The part that Write, Scatter, Unpack and Split share: they pass the flow on.
class WriteOpBase : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* ctx) final {
    TensorArrayPtr array;
    OP_REQUIRES_OK(ctx, FindTensorArray(ctx, &array));
    OP_REQUIRES_OK(ctx, WriteTo(ctx, array.get()));
    ctx->set_output(0, ctx->input(ctx->num_inputs() - 1));
  }
  bool IsExpensive() final { return false; }

 protected:
  virtual Status WriteTo(OpKernelContext* ctx, TensorArray* array) = 0;
};

class TensorArrayWriteOp final : public WriteOpBase {
 public:
  using WriteOpBase::WriteOpBase;

 protected:
  Status WriteTo(OpKernelContext* ctx, TensorArray* array) override {
    if (ctx->input(1).NumElements() != 1) {
      return errors::InvalidArgument(type_string(),
                                     ": index must be a scalar, got shape ",
                                     ctx->input(1).shape().DebugString());
    }
    return array->Write(ctx,
                        absl::MakeConstSpan(ctx->input(1).base<int32_t>(), 1),
                        {ctx->input(2)});
  }
};

// Copies rows of `value` to separate memory: rows need not be aligned.
Status CopyRows(OpKernelContext* ctx, const Tensor& value, int64_t begin,
                int64_t rows, const TensorShape& shape, Tensor* out) {
  TF_RETURN_IF_ERROR(ctx->allocate_temp(value.dtype(), shape, out));
  const int64_t row =
      value.dim_size(0) == 0 ? 0 : value.NumElements() / value.dim_size(0);
  return DispatchElement(value.dtype(), [&]<typename T>(ElementTag<T>) {
    CopyRun(value.base<T>() + begin * row, rows * row, out->base<T>());
  });
}

Status WriteRows(OpKernelContext* ctx, TensorArray* array, const Tensor& value,
                 absl::Span<const int32_t> indices) {
  TensorShape shape = value.shape();
  shape.RemoveDim(0);
  std::vector<Tensor> rows(indices.size());
  for (size_t i = 0; i < rows.size(); ++i) {
    TF_RETURN_IF_ERROR(
        CopyRows(ctx, value, static_cast<int64_t>(i), 1, shape, &rows[i]));
  }
  return array->Write(ctx, indices, rows);
}

Status RequireRows(const OpKernel& op, const Tensor& value) {
  if (value.dims() >= 1) return OkStatus();
  return errors::InvalidArgument(
      op.type_string(), ": value must have at least rank 1, got shape []");
}

class TensorArrayScatterOp final : public WriteOpBase {
 public:
  using WriteOpBase::WriteOpBase;

 protected:
  Status WriteTo(OpKernelContext* ctx, TensorArray* array) override {
    const Tensor& indices = ctx->input(1);
    const Tensor& value = ctx->input(2);
    TF_RETURN_IF_ERROR(RequireRows(*this, value));
    if (indices.dims() != 1 || indices.dim_size(0) != value.dim_size(0)) {
      return errors::InvalidArgument(
          type_string(),
          ": indices must be a vector of as many elements as "
          "value has rows, got shapes ",
          indices.shape().DebugString(), " and ", value.shape().DebugString());
    }
    return WriteRows(ctx, array, value, Flat<int32_t>(indices));
  }
};

class TensorArrayUnpackOp final : public WriteOpBase {
 public:
  using WriteOpBase::WriteOpBase;

 protected:
  Status WriteTo(OpKernelContext* ctx, TensorArray* array) override {
    const Tensor& value = ctx->input(1);
    TF_RETURN_IF_ERROR(RequireRows(*this, value));
    TF_RETURN_IF_ERROR(array->Reserve(value.dim_size(0)));
    int32_t size = 0;
    TF_RETURN_IF_ERROR(array->Size(&size));
    if (size != value.dim_size(0)) {
      return errors::InvalidArgument(
          type_string(), ": value has ", value.dim_size(0),
          " rows, but the TensorArray has ", size, " elements");
    }
    return WriteRows(ctx, array, value, AllIndices(size));
  }
};

class TensorArraySplitOp final : public WriteOpBase {
 public:
  using WriteOpBase::WriteOpBase;

 protected:
  Status WriteTo(OpKernelContext* ctx, TensorArray* array) override {
    const Tensor& value = ctx->input(1);
    TF_RETURN_IF_ERROR(RequireRows(*this, value));
    if (ctx->input(2).dims() != 1) {
      return errors::InvalidArgument(type_string(),
                                     ": lengths must be a vector, got shape ",
                                     ctx->input(2).shape().DebugString());
    }
    const auto lengths = Flat<int64_t>(ctx->input(2));
    TF_RETURN_IF_ERROR(CheckLengths(lengths, value));
    TF_RETURN_IF_ERROR(array->Reserve(ctx->input(2).NumElements()));
    int32_t size = 0;
    TF_RETURN_IF_ERROR(array->Size(&size));
    if (size != ctx->input(2).NumElements()) {
      return errors::InvalidArgument(
          type_string(),
          ": TensorArray's size is not equal to the size of lengths (", size,
          " vs. ", lengths.size(),
          "), and the TensorArray is not marked as dynamically resizeable");
    }
    std::vector<Tensor> pieces(lengths.size());
    int64_t begin = 0;
    for (size_t i = 0; i < pieces.size(); ++i) {
      TensorShape shape = value.shape();
      shape.set_dim(0, lengths[i]);
      TF_RETURN_IF_ERROR(
          CopyRows(ctx, value, begin, lengths[i], shape, &pieces[i]));
      begin += lengths[i];
    }
    return array->Write(ctx, AllIndices(size), pieces);
  }

 private:
  Status CheckLengths(absl::Span<const int64_t> lengths,
                      const Tensor& value) const {
    int64_t sum = 0;
    for (int64_t length : lengths) {
      if (length < 0) {
        return errors::InvalidArgument(
            type_string(), ": lengths must be >= 0, one is ", length);
      }
      // A sum that no int64 has equals no size either.
      if (__builtin_add_overflow(sum, length, &sum)) {
        return errors::InvalidArgument(type_string(),
                                       ": the sum of lengths is too large");
      }
    }
    if (sum == value.dim_size(0)) return OkStatus();
    return errors::InvalidArgument(
        type_string(),
        ": Expected sum of lengths to be equal to values.shape[0], but sum of "
        "lengths is ",
        sum, " and value's shape is: ", value.shape().DebugString());
  }
};

REGISTER_KERNEL_BUILDER(Name("TensorArrayWrite").Device(DEVICE_CPU),
                        TensorArrayWriteOp);
REGISTER_KERNEL_BUILDER(Name("TensorArrayWriteV2").Device(DEVICE_CPU),
                        TensorArrayWriteOp);
REGISTER_KERNEL_BUILDER(Name("TensorArrayWriteV3").Device(DEVICE_CPU),
                        TensorArrayWriteOp);
REGISTER_KERNEL_BUILDER(Name("TensorArrayScatter").Device(DEVICE_CPU),
                        TensorArrayScatterOp);
REGISTER_KERNEL_BUILDER(Name("TensorArrayScatterV2").Device(DEVICE_CPU),
                        TensorArrayScatterOp);
REGISTER_KERNEL_BUILDER(Name("TensorArrayScatterV3").Device(DEVICE_CPU),
                        TensorArrayScatterOp);
REGISTER_KERNEL_BUILDER(Name("TensorArrayUnpack").Device(DEVICE_CPU),
                        TensorArrayUnpackOp);
REGISTER_KERNEL_BUILDER(Name("TensorArraySplit").Device(DEVICE_CPU),
                        TensorArraySplitOp);
REGISTER_KERNEL_BUILDER(Name("TensorArraySplitV2").Device(DEVICE_CPU),
                        TensorArraySplitOp);
REGISTER_KERNEL_BUILDER(Name("TensorArraySplitV3").Device(DEVICE_CPU),
                        TensorArraySplitOp);

}  // namespace
}  // namespace tensorwright
