// SPDX-License-Identifier: Apache-2.0
// Kernels that read elements of TensorArrays: one, some as the rows of a
// tensor, or all end to end.

#include <cstdint>
#include <utility>
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

class ReadOpBase : public OpKernel {
 public:
  explicit ReadOpBase(OpKernelConstruction* ctx) : OpKernel(ctx) {
    OP_REQUIRES_OK(ctx, ctx->GetAttr("dtype", &dtype_));
  }
  bool IsExpensive() override { return false; }

 protected:
  Status Find(OpKernelContext* ctx, TensorArrayPtr* array) const {
    TF_RETURN_IF_ERROR(FindTensorArray(ctx, array));
    if ((*array)->dtype() == dtype_) return OkStatus();
    return errors::InvalidArgument(
        type_string(), ": attr dtype must be that of the TensorArray, ",
        DataTypeString((*array)->dtype()), ", got ", DataTypeString(dtype_));
  }

 private:
  DataType dtype_;
};

class TensorArrayReadOp final : public ReadOpBase {
 public:
  using ReadOpBase::ReadOpBase;

  void Compute(OpKernelContext* ctx) override {
    TensorArrayPtr array;
    OP_REQUIRES_OK(ctx, Find(ctx, &array));
    const Tensor& index = ctx->input(1);
    OP_REQUIRES(ctx, index.NumElements() == 1,
                errors::InvalidArgument(type_string(),
                                        ": index must be a scalar, got shape ",
                                        index.shape().DebugString()));
    std::vector<Tensor> value;
    OP_REQUIRES_OK(
        ctx, array->Read(ctx, absl::MakeConstSpan(index.base<int32_t>(), 1),
                         &value));
    ctx->set_output(0, std::move(value[0]));
  }
};

// Reads Gather's given elements, or all of them for Pack.
class TensorArrayGatherOp final : public ReadOpBase {
 public:
  explicit TensorArrayGatherOp(OpKernelConstruction* ctx) : ReadOpBase(ctx) {
    OP_REQUIRES_OK(ctx, ctx->GetAttr("element_shape", &element_shape_));
    has_indices_ = num_inputs() == 3;
  }

  void Compute(OpKernelContext* ctx) override {
    TensorArrayPtr array;
    OP_REQUIRES_OK(ctx, Find(ctx, &array));
    std::vector<int32_t> indices;
    OP_REQUIRES_OK(ctx, Indices(ctx, array.get(), &indices));
    std::vector<Tensor> values;
    OP_REQUIRES_OK(ctx, array->Read(ctx, indices, &values));
    TensorShape element;
    OP_REQUIRES_OK(ctx, ElementShape(array.get(), values, &element));
    TensorShape shape({static_cast<int64_t>(values.size())});
    OP_REQUIRES_OK(ctx, shape.AppendShapeWithStatus(element));
    Tensor* out = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, shape, &out));
    const int64_t n = element.num_elements();
    OP_REQUIRES_OK(
        ctx, DispatchElement(out->dtype(), [&]<typename T>(ElementTag<T>) {
          for (size_t i = 0; i < values.size(); ++i) {
            CopyRun(values[i].base<T>(), n, out->base<T>() + i * n);
          }
        }));
  }

 private:
  Status Indices(OpKernelContext* ctx, TensorArray* array,
                 std::vector<int32_t>* indices) const {
    if (has_indices_) {
      if (ctx->input(1).dims() != 1) {
        return errors::InvalidArgument(type_string(),
                                       ": indices must be a vector, got shape ",
                                       ctx->input(1).shape().DebugString());
      }
      const auto given = Flat<int32_t>(ctx->input(1));
      indices->assign(given.begin(), given.end());
      return OkStatus();
    }
    int32_t size = 0;
    TF_RETURN_IF_ERROR(array->Size(&size));
    *indices = AllIndices(size);
    return OkStatus();
  }

  // The shape of all elements or, if there are none, the shape known
  // beforehand.
  Status ElementShape(TensorArray* array, const std::vector<Tensor>& values,
                      TensorShape* shape) const {
    PartialTensorShape known;
    if (!element_shape_.MergeWith(array->element_shape(), &known).ok()) {
      return errors::InvalidArgument(type_string(), ": element_shape ",
                                     element_shape_.DebugString(),
                                     " does not fit the TensorArray's ",
                                     array->element_shape().DebugString());
    }
    if (values.empty()) {
      if (known.AsTensorShape(shape)) return OkStatus();
      return errors::Unimplemented(
          type_string(), ": TensorArray has size zero, but element shape ",
          known.DebugString(),
          " is not fully defined: the shape of the result is not known.");
    }
    *shape = values[0].shape();
    if (!element_shape_.IsCompatibleWith(*shape)) {
      return errors::InvalidArgument(
          type_string(), ": element_shape is ", element_shape_.DebugString(),
          " but an element has shape ", shape->DebugString());
    }
    for (size_t i = 1; i < values.size(); ++i) {
      if (values[i].shape() == *shape) continue;
      return errors::InvalidArgument(
          type_string(),
          ": TensorArray has inconsistent shapes.  Index 0 has shape: ",
          shape->DebugString(), " but index ", i,
          " has shape: ", values[i].shape().DebugString());
    }
    return OkStatus();
  }

  PartialTensorShape element_shape_;
  bool has_indices_ = false;
};

class TensorArrayConcatOp final : public ReadOpBase {
 public:
  explicit TensorArrayConcatOp(OpKernelConstruction* ctx) : ReadOpBase(ctx) {
    OP_REQUIRES_OK(ctx, ctx->GetAttr("element_shape_except0", &rest_shape_));
  }

  void Compute(OpKernelContext* ctx) override {
    TensorArrayPtr array;
    OP_REQUIRES_OK(ctx, Find(ctx, &array));
    int32_t size = 0;
    OP_REQUIRES_OK(ctx, array->Size(&size));
    std::vector<Tensor> values;
    OP_REQUIRES_OK(ctx, array->Read(ctx, AllIndices(size), &values));
    TensorShape shape;
    OP_REQUIRES_OK(ctx, ResultShape(values, &shape));
    Tensor* out = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, shape, &out));
    Tensor* lengths = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(1, TensorShape({size}), &lengths));
    OP_REQUIRES_OK(
        ctx, DispatchElement(out->dtype(), [&]<typename T>(ElementTag<T>) {
          T* to = out->base<T>();
          for (size_t i = 0; i < values.size(); ++i) {
            CopyRun(values[i].base<T>(), values[i].NumElements(), to);
            to += values[i].NumElements();
            lengths->base<int64_t>()[i] = values[i].dim_size(0);
          }
        }));
  }

 private:
  Status ResultShape(const std::vector<Tensor>& values,
                     TensorShape* shape) const {
    if (values.empty()) {
      TensorShape rest;
      if (!rest_shape_.AsTensorShape(&rest)) {
        return errors::Unimplemented(
            type_string(),
            ": TensorArray has size zero, but element_shape_except0 ",
            rest_shape_.DebugString(),
            " is not fully defined: the shape of the result is not known.");
      }
      *shape = TensorShape({0});
      return shape->AppendShapeWithStatus(rest);
    }
    int64_t rows = 0;
    TensorShape first;
    for (size_t i = 0; i < values.size(); ++i) {
      TensorShape rest = values[i].shape();
      if (rest.dims() == 0) {
        return errors::InvalidArgument(type_string(),
                                       ": elements must have rank >= 1, but ",
                                       i, " is a scalar");
      }
      rest.RemoveDim(0);
      if (i == 0) first = rest;
      if (rest != first || !rest_shape_.IsCompatibleWith(rest)) {
        return errors::InvalidArgument(
            type_string(),
            ": elements have different shapes but for "
            "dimension 0: 0 has ",
            values[0].shape().DebugString(), ", ", i, " has ",
            values[i].shape().DebugString(), ", and element_shape_except0 is ",
            rest_shape_.DebugString());
      }
      rows += values[i].dim_size(0);
    }
    *shape = TensorShape({rows});
    return shape->AppendShapeWithStatus(first);
  }

  PartialTensorShape rest_shape_;
};

REGISTER_KERNEL_BUILDER(Name("TensorArrayRead").Device(DEVICE_CPU),
                        TensorArrayReadOp);
REGISTER_KERNEL_BUILDER(Name("TensorArrayReadV2").Device(DEVICE_CPU),
                        TensorArrayReadOp);
REGISTER_KERNEL_BUILDER(Name("TensorArrayReadV3").Device(DEVICE_CPU),
                        TensorArrayReadOp);
REGISTER_KERNEL_BUILDER(Name("TensorArrayPack").Device(DEVICE_CPU),
                        TensorArrayGatherOp);
REGISTER_KERNEL_BUILDER(Name("TensorArrayGather").Device(DEVICE_CPU),
                        TensorArrayGatherOp);
REGISTER_KERNEL_BUILDER(Name("TensorArrayGatherV2").Device(DEVICE_CPU),
                        TensorArrayGatherOp);
REGISTER_KERNEL_BUILDER(Name("TensorArrayGatherV3").Device(DEVICE_CPU),
                        TensorArrayGatherOp);
REGISTER_KERNEL_BUILDER(Name("TensorArrayConcat").Device(DEVICE_CPU),
                        TensorArrayConcatOp);
REGISTER_KERNEL_BUILDER(Name("TensorArrayConcatV2").Device(DEVICE_CPU),
                        TensorArrayConcatOp);
REGISTER_KERNEL_BUILDER(Name("TensorArrayConcatV3").Device(DEVICE_CPU),
                        TensorArrayConcatOp);

}  // namespace
}  // namespace tensorwright
