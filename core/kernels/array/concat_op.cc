// SPDX-License-Identifier: Apache-2.0
// Concat, ConcatV2, ParallelConcat and ConcatOffset.

#include <cstdint>

#include "absl/container/inlined_vector.h"
#include "core/framework/op_kernel.h"
#include "core/framework/tensor.h"
#include "core/kernels/array/concat_device.h"
#include "core/kernels/array/concat_lib.h"
#include "core/kernels/lib/gpu/device_registration.h"

namespace tensorwright {
namespace {

// The concatenation's shape; InvalidArgument unless the values agree in all
// other dimensions.  Makes `axis` count from the front.
Status ConcatenatedShape(const OpInputList& values, int64_t* axis,
                         TensorShape* out) {
  const TensorShape& first = values[0].shape();
  const int rank = first.dims();
  if (*axis < -rank || *axis >= rank) {
    return errors::InvalidArgument(
        "ConcatOp : Expected concatenating dimensions in the range [", -rank,
        ", ", rank, "), but got ", *axis);
  }
  if (*axis < 0) *axis += rank;
  int64_t total = 0;
  for (int i = 0; i < values.size(); ++i) {
    const TensorShape& shape = values[i].shape();
    bool fits = shape.dims() == rank;
    for (int d = 0; fits && d < rank; ++d) {
      fits = d == *axis || shape.dim_size(d) == first.dim_size(d);
    }
    if (!fits) {
      return errors::InvalidArgument(
          "ConcatOp : Dimensions of inputs should match: shape[0] = ",
          first.DebugString(), " vs. shape[", i, "] = ", shape.DebugString());
    }
    total += shape.dim_size(static_cast<int>(*axis));
  }
  *out = first;
  return out->SetDimWithStatus(static_cast<int>(*axis), total);
}

class ConcatOp final : public OpKernel {
 public:
  explicit ConcatOp(OpKernelConstruction* ctx)
      : OpKernel(ctx),
        axis_name_(type_string() == "Concat" ? "concat_dim" : "axis") {}

  void Compute(OpKernelContext* ctx) override {
    const Tensor* axis_tensor = nullptr;
    OP_REQUIRES_OK(ctx, ctx->input(axis_name_, &axis_tensor));
    OP_REQUIRES(
        ctx, axis_tensor->dims() == 0,
        errors::InvalidArgument(axis_name_, " must be a scalar, got shape ",
                                axis_tensor->shape().DebugString()));
    OpInputList values;
    OP_REQUIRES_OK(ctx, ctx->input_list("values", &values));
    int64_t axis = ScalarIndex(*axis_tensor);
    TensorShape shape;
    OP_REQUIRES_OK(ctx, ConcatenatedShape(values, &axis, &shape));
    Tensor* out = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, shape, &out));
    if (out->NumElements() == 0) return;

    const int dim = static_cast<int>(axis);
    const int64_t rows = SizeOfDims(shape, 0, dim);
    absl::InlinedVector<const Tensor*, 8> tensors;
    absl::InlinedVector<int64_t, 8> sizes;
    for (const Tensor& value : values) {
      tensors.push_back(&value);
      sizes.push_back(SizeOfDims(value.shape(), dim, value.dims()));
    }
    if (JoinedOnDevice(ctx, tensors, sizes, rows, out)) return;
    OP_REQUIRES_OK(
        ctx, DispatchElement(out->dtype(), [&]<typename T>(ElementTag<T>) {
          absl::InlinedVector<Part<const T>, 8> parts;
          for (size_t i = 0; i < tensors.size(); ++i) {
            parts.push_back({tensors[i]->base<T>(), sizes[i]});
          }
          JoinParts<T>(ctx, parts, rows, out->base<T>());
        }));
  }

 private:
  const char* const axis_name_;
};
REGISTER_KERNEL_BUILDER(
    Name("Concat").Device(DEVICE_CPU).HostMemory("concat_dim"), ConcatOp);
REGISTER_KERNEL_BUILDER(Name("ConcatV2").Device(DEVICE_CPU).HostMemory("axis"),
                        ConcatOp);
REGISTER_MOVER_ON_GPU(ConcatOp, "T", Name("Concat").HostMemory("concat_dim"),
                      "values", "output");
REGISTER_MOVER_ON_GPU(ConcatOp, "T", Name("ConcatV2").HostMemory("axis"),
                      "values", "output");

// values: N tensors of shape [1, ...], which the shape function has checked
// against attr shape.
class ParallelConcatOp final : public OpKernel {
 public:
  explicit ParallelConcatOp(OpKernelConstruction* ctx) : OpKernel(ctx) {
    OP_REQUIRES_OK(ctx, ctx->GetAttr("shape", &shape_));
    OP_REQUIRES(ctx, shape_.dims() >= 1 && shape_.dim_size(0) == num_inputs(),
                errors::InvalidArgument(
                    "ParallelConcat: attr shape must be [N, ...], got ",
                    shape_.DebugString()));
  }

  void Compute(OpKernelContext* ctx) override {
    TensorShape expected = shape_;
    expected.set_dim(0, 1);
    for (int i = 0; i < ctx->num_inputs(); ++i) {
      OP_REQUIRES(ctx, ctx->input(i).shape() == expected,
                  errors::InvalidArgument("ParallelConcat: values[", i,
                                          "] must have shape ",
                                          expected.DebugString(), ", got ",
                                          ctx->input(i).shape().DebugString()));
    }
    Tensor* out = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, shape_, &out));
    if (out->NumElements() == 0) return;
    OP_REQUIRES_OK(
        ctx, DispatchElement(out->dtype(), [&]<typename T>(ElementTag<T>) {
          absl::InlinedVector<Part<const T>, 8> parts;
          for (int i = 0; i < ctx->num_inputs(); ++i) {
            parts.push_back({ctx->input(i).base<T>(), expected.num_elements()});
          }
          JoinParts<T>(ctx, parts, /*rows=*/1, out->base<T>());
        }));
  }

 private:
  TensorShape shape_;
};
REGISTER_KERNEL_BUILDER(Name("ParallelConcat").Device(DEVICE_CPU),
                        ParallelConcatOp);

// offset[i] is 0, except in dimension concat_dim, where it is the sum of the
// sizes of the tensors before i.
template <typename T>
class ConcatOffsetOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* ctx) override {
    const Tensor& dim_tensor = ctx->input(0);
    OP_REQUIRES(ctx, dim_tensor.dims() <= 1 && dim_tensor.NumElements() == 1,
                errors::InvalidArgument(
                    "Concat dim tensor should be a scalar integer, but got "
                    "shape ",
                    dim_tensor.shape().DebugString()));
    for (int i = 1; i < ctx->num_inputs(); ++i) {
      const TensorShape& shape = ctx->input(i).shape();
      OP_REQUIRES(ctx, shape.dims() == 1,
                  errors::InvalidArgument("input ", i,
                                          " should be a vector, but got shape ",
                                          shape.DebugString()));
    }
    const int64_t rank = ctx->input(1).NumElements();
    int64_t dim = *dim_tensor.base<int32_t>();
    OP_REQUIRES(ctx, dim >= -rank && dim < rank,
                errors::InvalidArgument("Concat dim is out of range: ", dim,
                                        " vs. ", rank));
    if (dim < 0) dim += rank;
    const T* first = ctx->input(1).base<T>();
    T offset = 0;
    for (int i = 1; i < ctx->num_inputs(); ++i) {
      const Tensor& shape = ctx->input(i);
      OP_REQUIRES(
          ctx, shape.NumElements() == rank,
          errors::InvalidArgument("input ", i - 1, " should contain ", rank,
                                  " elements, but got ", shape.NumElements()));
      const T* sizes = shape.base<T>();
      Tensor* out = nullptr;
      OP_REQUIRES_OK(ctx, ctx->allocate_output(i - 1, shape.shape(), &out));
      T* offsets = out->base<T>();
      for (int64_t d = 0; d < rank; ++d) {
        OP_REQUIRES(ctx, d == dim || sizes[d] == first[d],
                    errors::InvalidArgument(
                        "All dimensions except ", dim, " must match. Input ",
                        i - 1, " has shape [", shape.SummarizeValue(10),
                        "] and doesn't match input 0 with shape [",
                        ctx->input(1).SummarizeValue(10), "]."));
        offsets[d] = d == dim ? offset : 0;
      }
      OP_REQUIRES(
          ctx, !__builtin_add_overflow(offset, sizes[dim], &offset),
          errors::InvalidArgument("ConcatOffset: the sizes of dimension ", dim,
                                  " add up to more than ",
                                  DataTypeString(shape.dtype()), " holds"));
    }
  }
  bool IsExpensive() override { return false; }
};
REGISTER_KERNEL_FOR_TYPES(Name("ConcatOffset")
                              .Device(DEVICE_CPU)
                              .HostMemory("concat_dim")
                              .HostMemory("shape")
                              .HostMemory("offset"),
                          "shape_type", ConcatOffsetOp, int32_t, int64_t);
REGISTER_KERNEL_FOR_TYPES(Name("ConcatOffset")
                              .Device(DEVICE_GPU)
                              .HostMemory("concat_dim")
                              .HostMemory("shape")
                              .HostMemory("offset"),
                          "shape_type", ConcatOffsetOp, int32_t, int64_t);

}  // namespace
}  // namespace tensorwright
