// SPDX-License-Identifier: Apache-2.0
// The kernels of TensorArrays, for all three kinds of handle.

#include <atomic>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "core/framework/op_kernel.h"
#include "core/framework/resource_mgr.h"
#include "core/framework/tensor.h"
#include "core/kernels/data_flow/tensor_array.h"
#include "core/kernels/lib/element_dispatch.h"
#include "core/lib/core/errors.h"

namespace tensorwright {
namespace {

using ArrayPtr = core::RefCountPtr<TensorArray>;

// Arrays that a string names are told apart by their names alone, which are
// unique in the process; all live in the run's container.
Status FindArray(OpKernelContext* ctx, ArrayPtr* array) {
  if (ctx->step_container() == nullptr) {
    return errors::Internal(ctx->op_kernel().type_string(),
                            ": the run has no container");
  }
  const Tensor& handle = ctx->input(0);
  TensorArray* found = nullptr;
  if (handle.dtype() == DT_RESOURCE) {
    if (handle.NumElements() != 1) {
      return errors::InvalidArgument(ctx->op_kernel().type_string(),
                                     ": handle must be a scalar, got shape ",
                                     handle.shape().DebugString());
    }
    TF_RETURN_IF_ERROR(LookupResource(ctx, HandleFromInput(ctx, 0), &found));
  } else {
    if (handle.NumElements() != 2 ||
        handle.base<std::string>()[0] != TensorArray::kContainer) {
      return errors::InvalidArgument(
          ctx->op_kernel().type_string(),
          ": handle must be the two names of a TensorArray, got shape ",
          handle.shape().DebugString());
    }
    TF_RETURN_IF_ERROR(ctx->resource_manager()->Lookup(
        ctx->step_container()->name(), handle.base<std::string>()[1], &found));
  }
  array->reset(found);
  return OkStatus();
}

Status SetHandle(OpKernelContext* ctx, TensorArray* array) {
  const DataType type = ctx->op_kernel().output_type(0);
  if (IsRefType(type)) {
    ctx->set_output_ref(0, array->handle_mu(), array->handle());
    return OkStatus();
  }
  if (type == DT_STRING) {
    ctx->set_output(0, *array->handle());
    return OkStatus();
  }
  Tensor* handle = nullptr;
  TF_RETURN_IF_ERROR(ctx->allocate_output(0, TensorShape(), &handle));
  handle->scalar_value<ResourceHandle>() =
      MakePerStepResourceHandle<TensorArray>(ctx, array->name());
  return OkStatus();
}

// The third generation gives a flow beside the handle.
Status SetFlow(OpKernelContext* ctx, float value) {
  if (ctx->num_outputs() < 2) return OkStatus();
  Tensor* flow = nullptr;
  TF_RETURN_IF_ERROR(ctx->allocate_output(1, TensorShape(), &flow));
  flow->scalar_value<float>() = value;
  return OkStatus();
}

std::vector<int32_t> AllIndices(int32_t n) {
  std::vector<int32_t> indices(n);
  std::iota(indices.begin(), indices.end(), 0);
  return indices;
}

class TensorArrayOp final : public OpKernel {
 public:
  explicit TensorArrayOp(OpKernelConstruction* ctx) : OpKernel(ctx) {
    OP_REQUIRES_OK(ctx, ctx->GetAttr("dtype", &options_.dtype));
    OP_REQUIRES_OK(ctx, ctx->GetAttr("element_shape", &options_.element_shape));
    OP_REQUIRES_OK(ctx, ctx->GetAttr("dynamic_size", &options_.dynamic_size));
    OP_REQUIRES_OK(
        ctx, ctx->GetAttr("clear_after_read", &options_.clear_after_read));
    OP_REQUIRES_OK(ctx, ctx->GetAttr("tensor_array_name", &name_));
    if (ctx->HasAttr("identical_element_shapes")) {
      OP_REQUIRES_OK(ctx, ctx->GetAttr("identical_element_shapes",
                                       &options_.identical_element_shapes));
    }
    if (name_.empty()) name_ = name();
  }

  void Compute(OpKernelContext* ctx) override {
    OP_REQUIRES(ctx, ctx->step_container() != nullptr,
                errors::Internal("TensorArray: the run has no container"));
    const Tensor& size = ctx->input(0);
    OP_REQUIRES(ctx, size.NumElements() == 1,
                errors::InvalidArgument(type_string(),
                                        ": size must be a scalar, got shape ",
                                        size.shape().DebugString()));
    const int32_t n = *size.base<int32_t>();
    OP_REQUIRES(
        ctx, n >= 0,
        errors::InvalidArgument(type_string(), ": size must be >= 0, got ", n));
    // Each element takes a hundred bytes or so before anything is written.
    OP_REQUIRES(ctx, n <= kMaxInitialSize,
                errors::ResourceExhausted(type_string(), ": size ", n,
                                          " is more than ", kMaxInitialSize));
    static std::atomic<int64_t> counter{0};
    const std::string unique = absl::StrCat(name_, "_", counter.fetch_add(1));
    ArrayPtr array(new TensorArray(unique, options_, n));
    array->Ref();  // The container's.
    OP_REQUIRES_OK(
        ctx, ctx->resource_manager()->Create(ctx->step_container()->name(),
                                             unique, array.get()));
    OP_REQUIRES_OK(ctx, SetHandle(ctx, array.get()));
    OP_REQUIRES_OK(ctx, SetFlow(ctx, 0));
  }
  bool IsExpensive() override { return false; }

 private:
  static constexpr int32_t kMaxInitialSize = 1 << 26;

  TensorArrayOptions options_;
  std::string name_;
};
REGISTER_KERNEL_BUILDER(Name("TensorArray").Device(DEVICE_CPU), TensorArrayOp);
REGISTER_KERNEL_BUILDER(Name("TensorArrayV2").Device(DEVICE_CPU),
                        TensorArrayOp);
REGISTER_KERNEL_BUILDER(Name("TensorArrayV3").Device(DEVICE_CPU),
                        TensorArrayOp);

class TensorArrayGradOp final : public OpKernel {
 public:
  explicit TensorArrayGradOp(OpKernelConstruction* ctx) : OpKernel(ctx) {
    OP_REQUIRES_OK(ctx, ctx->GetAttr("source", &source_));
  }

  void Compute(OpKernelContext* ctx) override {
    ArrayPtr forward;
    OP_REQUIRES_OK(ctx, FindArray(ctx, &forward));
    const std::string name = absl::StrCat(forward->name(), "@", source_);
    TensorArray* found = nullptr;
    OP_REQUIRES_OK(ctx, ctx->resource_manager()->LookupOrCreate<TensorArray>(
                            ctx->step_container()->name(), name, &found,
                            [&](TensorArray** gradient) -> Status {
                              TensorArrayOptions options;
                              int64_t size = 0;
                              TF_RETURN_IF_ERROR(
                                  forward->PrepareGradient(&options, &size));
                              *gradient = new TensorArray(name, options, size);
                              return OkStatus();
                            }));
    ArrayPtr gradient(found);
    OP_REQUIRES_OK(ctx, gradient->TakeShapes(forward.get()));
    OP_REQUIRES_OK(ctx, SetHandle(ctx, gradient.get()));
    OP_REQUIRES_OK(ctx, SetFlow(ctx, 0));
  }
  bool IsExpensive() override { return false; }

 private:
  std::string source_;
};
REGISTER_KERNEL_BUILDER(Name("TensorArrayGrad").Device(DEVICE_CPU),
                        TensorArrayGradOp);
REGISTER_KERNEL_BUILDER(Name("TensorArrayGradV2").Device(DEVICE_CPU),
                        TensorArrayGradOp);
REGISTER_KERNEL_BUILDER(Name("TensorArrayGradV3").Device(DEVICE_CPU),
                        TensorArrayGradOp);

// ---- Writing ----------------------------------------------------------------

// What Write, Scatter, Unpack and Split share: all give the flow on.
class WriteOpBase : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* ctx) final {
    ArrayPtr array;
    OP_REQUIRES_OK(ctx, FindArray(ctx, &array));
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

// Row i of `value`, in memory of its own: rows need not be aligned.
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
          ": the TensorArray's size is not equal to the number "
          "of lengths (",
          size, " vs. ", lengths.size(),
          "), and it is not dynamically resizeable");
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
    int64_t rest = value.dim_size(0);
    for (int64_t length : lengths) {
      if (length < 0 || length > rest) {
        rest = -1;
        break;
      }
      rest -= length;
    }
    if (rest == 0) return OkStatus();
    return errors::InvalidArgument(
        type_string(),
        ": lengths must be >= 0 and their sum equal to value's "
        "first dimension ",
        value.dim_size(0));
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

// ---- Reading ----------------------------------------------------------------

class ReadOpBase : public OpKernel {
 public:
  explicit ReadOpBase(OpKernelConstruction* ctx) : OpKernel(ctx) {
    OP_REQUIRES_OK(ctx, ctx->GetAttr("dtype", &dtype_));
  }
  bool IsExpensive() override { return false; }

 protected:
  Status Find(OpKernelContext* ctx, ArrayPtr* array) const {
    TF_RETURN_IF_ERROR(FindArray(ctx, array));
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
    ArrayPtr array;
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

// Gather's given elements, or Pack's all.
class TensorArrayGatherOp final : public ReadOpBase {
 public:
  explicit TensorArrayGatherOp(OpKernelConstruction* ctx) : ReadOpBase(ctx) {
    OP_REQUIRES_OK(ctx, ctx->GetAttr("element_shape", &element_shape_));
    has_indices_ = num_inputs() == 3;
  }

  void Compute(OpKernelContext* ctx) override {
    ArrayPtr array;
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

  // That of all elements; of none at all, what is known beforehand.
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
          type_string(), ": there are no elements, and the element shape ",
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
      return errors::InvalidArgument(type_string(),
                                     ": elements have different shapes: 0 has ",
                                     shape->DebugString(), " but ", i, " has ",
                                     values[i].shape().DebugString());
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
    ArrayPtr array;
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
            ": there are no elements, and element_shape_except0 ",
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

class TensorArraySizeOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* ctx) override {
    ArrayPtr array;
    OP_REQUIRES_OK(ctx, FindArray(ctx, &array));
    Tensor* size = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, TensorShape(), &size));
    OP_REQUIRES_OK(ctx, array->Size(&size->scalar_value<int32_t>()));
  }
  bool IsExpensive() override { return false; }
};

// The resource itself goes with the run: its handle may still be referred to.
class TensorArrayCloseOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* ctx) override {
    ArrayPtr array;
    OP_REQUIRES_OK(ctx, FindArray(ctx, &array));
    array->Close();
  }
  bool IsExpensive() override { return false; }
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
REGISTER_KERNEL_BUILDER(Name("TensorArraySize").Device(DEVICE_CPU),
                        TensorArraySizeOp);
REGISTER_KERNEL_BUILDER(Name("TensorArraySizeV2").Device(DEVICE_CPU),
                        TensorArraySizeOp);
REGISTER_KERNEL_BUILDER(Name("TensorArraySizeV3").Device(DEVICE_CPU),
                        TensorArraySizeOp);
REGISTER_KERNEL_BUILDER(Name("TensorArrayClose").Device(DEVICE_CPU),
                        TensorArrayCloseOp);
REGISTER_KERNEL_BUILDER(Name("TensorArrayCloseV2").Device(DEVICE_CPU),
                        TensorArrayCloseOp);
REGISTER_KERNEL_BUILDER(Name("TensorArrayCloseV3").Device(DEVICE_CPU),
                        TensorArrayCloseOp);

}  // namespace
}  // namespace tensorwright
