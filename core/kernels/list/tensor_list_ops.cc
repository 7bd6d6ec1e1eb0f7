// SPDX-License-Identifier: Apache-2.0
// Kernels that make lists, ask them, and read or write one element.

#include <algorithm>
#include <cstdint>
#include <utility>

#include "core/framework/op_kernel.h"
#include "core/kernels/list/tensor_list.h"
#include "core/lib/core/errors.h"

namespace tensorwright {
namespace {

// A kernel for lists whose elements have the dtype in attr element_dtype.
class ListOp : public OpKernel {
 public:
  explicit ListOp(OpKernelConstruction* ctx) : OpKernel(ctx) {
    OP_REQUIRES_OK(ctx, ctx->GetAttr("element_dtype", &dtype_));
  }
  bool IsExpensive() override { return false; }

 protected:
  DataType dtype() const { return dtype_; }

  // A scalar int32 input.
  Status Number(OpKernelContext* ctx, int input, const char* name,
                int64_t* value) const {
    const Tensor& tensor = ctx->input(input);
    if (tensor.dims() != 0) {
      return errors::InvalidArgument(type_string(), ": ", name,
                                     " expected to be a scalar, got shape ",
                                     tensor.shape().DebugString());
    }
    *value = *tensor.base<int32_t>();
    return OkStatus();
  }

  Status CheckIndex(int64_t index, int64_t size) const {
    if (index >= 0 && index < size) return OkStatus();
    return errors::InvalidArgument(type_string(), ": Trying to access element ",
                                   index, " in a list with ", size,
                                   " elements.");
  }

 private:
  DataType dtype_ = DT_INVALID;
};

class EmptyTensorListOp final : public ListOp {
 public:
  using ListOp::ListOp;
  void Compute(OpKernelContext* ctx) override {
    PartialTensorShape shape;
    OP_REQUIRES_OK(ctx, ElementShapeInput(ctx, 0, &shape));
    int64_t max = 0;
    OP_REQUIRES_OK(ctx, Number(ctx, 1, "max_num_elements", &max));
    TensorList list(dtype(), std::move(shape));
    list.set_max_num_elements(max < 0 ? -1 : max);
    OP_REQUIRES_OK(ctx, NewList(ctx, 0, std::move(list)));
  }
};
REGISTER_KERNEL_BUILDER(Name("EmptyTensorList").Device(DEVICE_CPU),
                        EmptyTensorListOp);

class TensorListReserveOp final : public ListOp {
 public:
  using ListOp::ListOp;
  void Compute(OpKernelContext* ctx) override {
    PartialTensorShape shape;
    OP_REQUIRES_OK(ctx, ElementShapeInput(ctx, 0, &shape));
    int64_t size = 0;
    OP_REQUIRES_OK(ctx, Number(ctx, 1, "num_elements", &size));
    OP_REQUIRES(ctx, size >= 0 && size <= TensorList::kMaxSize,
                errors::InvalidArgument(
                    type_string(),
                    ": The num_elements to reserve must be a non negative "
                    "number, and at most ",
                    TensorList::kMaxSize, ", but got ", size));
    TensorList list(dtype(), std::move(shape));
    list.Resize(size);
    OP_REQUIRES_OK(ctx, NewList(ctx, 0, std::move(list)));
  }
};
REGISTER_KERNEL_BUILDER(Name("TensorListReserve").Device(DEVICE_CPU),
                        TensorListReserveOp);

class TensorListPushBackOp final : public ListOp {
 public:
  using ListOp::ListOp;
  void Compute(OpKernelContext* ctx) override {
    const TensorList* list = nullptr;
    OP_REQUIRES_OK(ctx, FindListOf(ctx, 0, dtype(), &list));
    const Tensor& value = ctx->input(1);
    OP_REQUIRES_OK(ctx, CheckElement(ctx, *list, value));
    const int64_t max = list->max_num_elements();
    OP_REQUIRES(
        ctx,
        (max < 0 || list->size() < max) && list->size() < TensorList::kMaxSize,
        errors::InvalidArgument(
            type_string(), ": Tried to push item into a full list, list size: ",
            list->size(), " max_num_elements: ", max));
    TensorList* out = nullptr;
    OP_REQUIRES_OK(ctx, ForwardList(ctx, 0, 0, *list, &out));
    out->PushBack(value);
  }
};
REGISTER_KERNEL_BUILDER(Name("TensorListPushBack").Device(DEVICE_CPU),
                        TensorListPushBackOp);

class TensorListPopBackOp final : public ListOp {
 public:
  using ListOp::ListOp;
  void Compute(OpKernelContext* ctx) override {
    const TensorList* list = nullptr;
    OP_REQUIRES_OK(ctx, FindListOf(ctx, 0, dtype(), &list));
    PartialTensorShape shape;
    OP_REQUIRES_OK(ctx, ElementShapeInput(ctx, 1, &shape));
    OP_REQUIRES(ctx, list->size() > 0,
                errors::InvalidArgument(type_string(),
                                        ": Trying to pop from an empty list."));
    Tensor value;
    OP_REQUIRES_OK(ctx,
                   ReadElement(ctx, *list, list->size() - 1, shape, &value));
    ctx->set_output(1, std::move(value));
    TensorList* out = nullptr;
    OP_REQUIRES_OK(ctx, ForwardList(ctx, 0, 0, *list, &out));
    out->Resize(out->size() - 1);
  }
};
REGISTER_KERNEL_BUILDER(Name("TensorListPopBack").Device(DEVICE_CPU),
                        TensorListPopBackOp);

class TensorListGetItemOp final : public ListOp {
 public:
  using ListOp::ListOp;
  void Compute(OpKernelContext* ctx) override {
    const TensorList* list = nullptr;
    OP_REQUIRES_OK(ctx, FindListOf(ctx, 0, dtype(), &list));
    int64_t index = 0;
    OP_REQUIRES_OK(ctx, Number(ctx, 1, "index", &index));
    OP_REQUIRES_OK(ctx, CheckIndex(index, list->size()));
    PartialTensorShape shape;
    OP_REQUIRES_OK(ctx, ElementShapeInput(ctx, 2, &shape));
    Tensor value;
    OP_REQUIRES_OK(ctx, ReadElement(ctx, *list, index, shape, &value));
    ctx->set_output(0, std::move(value));
  }
};
REGISTER_KERNEL_BUILDER(Name("TensorListGetItem").Device(DEVICE_CPU),
                        TensorListGetItemOp);

class TensorListSetItemOp final : public ListOp {
 public:
  explicit TensorListSetItemOp(OpKernelConstruction* ctx) : ListOp(ctx) {
    OP_REQUIRES_OK(ctx, ctx->GetAttr("resize_if_index_out_of_bounds", &grows_));
  }
  void Compute(OpKernelContext* ctx) override {
    const TensorList* list = nullptr;
    OP_REQUIRES_OK(ctx, FindListOf(ctx, 0, dtype(), &list));
    int64_t index = 0;
    OP_REQUIRES_OK(ctx, Number(ctx, 1, "index", &index));
    const int64_t size = grows_ ? TensorList::kMaxSize : list->size();
    OP_REQUIRES_OK(ctx, CheckIndex(index, size));
    const Tensor& value = ctx->input(2);
    OP_REQUIRES_OK(ctx, CheckElement(ctx, *list, value));
    TensorList* out = nullptr;
    OP_REQUIRES_OK(ctx, ForwardList(ctx, 0, 0, *list, &out));
    if (index >= out->size()) out->Resize(index + 1);
    out->Set(index, value);
  }

 private:
  bool grows_ = false;
};
REGISTER_KERNEL_BUILDER(Name("TensorListSetItem").Device(DEVICE_CPU),
                        TensorListSetItemOp);

class TensorListLengthOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;
  void Compute(OpKernelContext* ctx) override {
    const TensorList* list = nullptr;
    OP_REQUIRES_OK(ctx, FindList(ctx, 0, &list));
    ctx->set_output(0, Tensor(static_cast<int32_t>(list->size())));
  }
  bool IsExpensive() override { return false; }
};
REGISTER_KERNEL_BUILDER(Name("TensorListLength").Device(DEVICE_CPU),
                        TensorListLengthOp);

class TensorListElementShapeOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;
  void Compute(OpKernelContext* ctx) override {
    const TensorList* list = nullptr;
    OP_REQUIRES_OK(ctx, FindList(ctx, 0, &list));
    const PartialTensorShape& shape = list->element_shape();
    Tensor* out = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0,
                                             shape.unknown_rank()
                                                 ? TensorShape()
                                                 : TensorShape({shape.dims()}),
                                             &out));
    const auto write = [&](int64_t i, int64_t size) {
      if (out->dtype() == DT_INT32) {
        out->base<int32_t>()[i] = static_cast<int32_t>(size);
      } else {
        out->base<int64_t>()[i] = size;
      }
    };
    if (shape.unknown_rank()) write(0, -1);
    for (int i = 0; i < shape.dims(); ++i) write(i, shape.dim_size(i));
  }
  bool IsExpensive() override { return false; }
};
REGISTER_KERNEL_BUILDER(Name("TensorListElementShape").Device(DEVICE_CPU),
                        TensorListElementShapeOp);

class TensorListResizeOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;
  void Compute(OpKernelContext* ctx) override {
    const TensorList* list = nullptr;
    OP_REQUIRES_OK(ctx, FindList(ctx, 0, &list));
    const Tensor& size = ctx->input(1);
    OP_REQUIRES(ctx, size.dims() == 0,
                errors::InvalidArgument(type_string(),
                                        ": size must be a scalar, got shape ",
                                        size.shape().DebugString()));
    const int64_t wanted = *size.base<int32_t>();
    OP_REQUIRES(ctx, wanted >= 0 && wanted <= TensorList::kMaxSize,
                errors::InvalidArgument(
                    type_string(), ": size must be non-negative, and at most ",
                    TensorList::kMaxSize, ". Got: ", wanted));
    TensorList* out = nullptr;
    OP_REQUIRES_OK(ctx, ForwardList(ctx, 0, 0, *list, &out));
    out->Resize(wanted);
  }
  bool IsExpensive() override { return false; }
};
REGISTER_KERNEL_BUILDER(Name("TensorListResize").Device(DEVICE_CPU),
                        TensorListResizeOp);

// Joins the elements of one list and those of another, list by list.
class TensorListConcatListsOp final : public ListOp {
 public:
  using ListOp::ListOp;
  void Compute(OpKernelContext* ctx) override {
    const TensorShape& shape = ctx->input(0).shape();
    OP_REQUIRES(
        ctx, shape == ctx->input(1).shape(),
        errors::InvalidArgument(type_string(),
                                ": shapes of input_a and input_b must be "
                                "equal, got ",
                                shape.DebugString(), " and ",
                                ctx->input(1).shape().DebugString()));
    Tensor joined(DT_VARIANT, shape);
    for (int64_t i = 0; i < shape.num_elements(); ++i) {
      const TensorList *a = nullptr, *b = nullptr;
      OP_REQUIRES_OK(ctx, FindList(ctx, 0, &a, i));
      OP_REQUIRES_OK(ctx, FindList(ctx, 1, &b, i));
      OP_REQUIRES(ctx, a->dtype() == dtype() && b->dtype() == dtype(),
                  errors::InvalidArgument(type_string(), ": element_dtype is ",
                                          DataTypeString(dtype()),
                                          ", that of the lists ",
                                          DataTypeString(a->dtype()), " and ",
                                          DataTypeString(b->dtype())));
      OP_REQUIRES(ctx, a->element_shape().IsIdenticalTo(b->element_shape()),
                  errors::InvalidArgument(
                      type_string(), ": element shapes must be identical, got ",
                      a->element_shape().DebugString(), " and ",
                      b->element_shape().DebugString()));
      OP_REQUIRES(ctx, a->size() + b->size() <= TensorList::kMaxSize,
                  errors::InvalidArgument(type_string(),
                                          ": the list would be too long"));
      TensorList list = *a;
      for (int64_t k = 0; k < b->size(); ++k) {
        if (const Tensor* value = b->Find(k); value != nullptr) {
          list.PushBack(*value);
        } else {
          list.Resize(list.size() + 1);
        }
      }
      joined.base<Variant>()[i] = std::move(list);
    }
    ctx->set_output(0, std::move(joined));
  }
};
REGISTER_KERNEL_BUILDER(Name("TensorListConcatLists").Device(DEVICE_CPU),
                        TensorListConcatListsOp);

}  // namespace
}  // namespace tensorwright
