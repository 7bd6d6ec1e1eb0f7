// SPDX-License-Identifier: Apache-2.0
// Kernels that convert between lists and tensors that hold their elements as
// rows, one after another or end to end.

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "core/framework/op_kernel.h"
#include "core/kernels/lib/element_dispatch.h"
#include "core/kernels/list/tensor_list.h"
#include "core/lib/core/errors.h"
#include "core/util/work_sharder.h"

namespace tensorwright {
namespace {

// Rows [begin, begin + shape's first size) of `tensor` as a tensor of `shape`,
// without a copy if that is aligned.
Tensor Rows(const Tensor& tensor, int64_t begin, int64_t end,
            const TensorShape& shape) {
  Tensor rows;
  const bool fits = rows.CopyFrom(tensor.Slice(begin, end), shape);
  (void)fits;  // The caller computed the shape from the tensor's.
  return rows.IsAligned() ? rows : rows.DeepCopy();
}

TensorShape WithoutFirst(TensorShape shape) {
  shape.RemoveDim(0);
  return shape;
}

class ListRowsOp : public OpKernel {
 public:
  explicit ListRowsOp(OpKernelConstruction* ctx) : OpKernel(ctx) {
    OP_REQUIRES_OK(ctx, ctx->GetAttr("element_dtype", &dtype_));
  }

 protected:
  DataType dtype() const { return dtype_; }

  template <typename... Args>
  Status Bad(const Args&... args) const {
    return errors::InvalidArgument(type_string(), ": ", args...);
  }

  // The shape that elements [0, n) of `list`, which `at` maps to its indices,
  // have in common with `given` and the list's own element shape; it is fully
  // known.
  template <typename At>
  Status CommonShape(const TensorList& list, const PartialTensorShape& given,
                     int64_t n, const At& at, TensorShape* shape) const {
    PartialTensorShape known;
    if (!list.element_shape().MergeWith(given, &known).ok()) {
      return Bad("element_shape ", given.DebugString(),
                 " does not fit that of the list, ",
                 list.element_shape().DebugString());
    }
    const Tensor* first = nullptr;
    for (int64_t i = 0; i < n; ++i) {
      const Tensor* value = list.Find(at(i));
      if (value == nullptr) continue;
      if (first == nullptr) {
        first = value;
        if (!known.IsCompatibleWith(value->shape())) {
          return Bad("element ", at(i), " has shape ",
                     value->shape().DebugString(), ", which does not fit ",
                     known.DebugString());
        }
      } else if (value->shape() != first->shape()) {
        return Bad("Tried to stack tensors with unequal shapes: ",
                   first->shape().DebugString(), " vs ",
                   value->shape().DebugString());
      }
    }
    if (first != nullptr) {
      *shape = first->shape();
      return OkStatus();
    }
    if (known.AsTensorShape(shape)) return OkStatus();
    return Bad(n == 0 ? "Tried to stack elements of an empty list with "
                        "non-fully-defined element_shape: "
                      : "Tried to stack list which only contains "
                        "uninitialized tensors and has a non-fully-defined "
                        "element_shape: ",
               known.DebugString());
  }

  // Output 0: elements at(0), ..., at(n - 1) as the rows of a tensor.
  template <typename At>
  Status Stack(OpKernelContext* ctx, const TensorList& list,
               const PartialTensorShape& given, int64_t n, const At& at) const {
    TensorShape element;
    TF_RETURN_IF_ERROR(CommonShape(list, given, n, at, &element));
    TensorShape shape({n});
    TF_RETURN_IF_ERROR(shape.AppendShapeWithStatus(element));
    Tensor* out = nullptr;
    TF_RETURN_IF_ERROR(ctx->allocate_output(0, shape, &out));
    const int64_t size = element.num_elements();
    if (out->NumElements() == 0) return OkStatus();
    return DispatchElement(out->dtype(), [&]<typename T>(ElementTag<T>) {
      ParallelFor(ctx, n, std::max<int64_t>(1, size * MoveCost<T>()),
                  [&](int64_t begin, int64_t end) {
                    for (int64_t i = begin; i < end; ++i) {
                      T* const to = out->base<T>() + i * size;
                      const Tensor* value = list.Find(at(i));
                      if (value != nullptr) {
                        CopyRun(value->base<T>(), size, to);
                      } else {
                        FillRun(T(), size, to);
                      }
                    }
                  });
    });
  }

  // Reads input `input` as indices, each >= 0.
  Status Indices(OpKernelContext* ctx, int input,
                 absl::Span<const int32_t>* indices) const {
    const Tensor& tensor = ctx->input(input);
    if (tensor.dims() != 1) {
      return Bad("Expected indices to be a vector, got shape ",
                 tensor.shape().DebugString());
    }
    *indices = Flat<int32_t>(tensor);
    for (const int32_t index : *indices) {
      if (index < 0 || index >= TensorList::kMaxSize) {
        return Bad("Indices must all be non-negative, and less than ",
                   TensorList::kMaxSize, ", got ", index);
      }
    }
    return OkStatus();
  }

  // Checks input 0, a tensor whose rows will be elements of a list with
  // `element_shape`.
  Status CheckRows(const Tensor& tensor,
                   const PartialTensorShape& element_shape) const {
    if (tensor.dims() < 1) {
      return Bad("Tensor must be at least a vector, but saw shape: ",
                 tensor.shape().DebugString());
    }
    if (element_shape.IsCompatibleWith(WithoutFirst(tensor.shape()))) {
      return OkStatus();
    }
    return Bad("Specified a list with shape ", element_shape.DebugString(),
               " from a tensor with shape ",
               WithoutFirst(tensor.shape()).DebugString());
  }

  // Sets elements indices[i] of `list` to the rows of `tensor`.
  Status Scatter(const Tensor& tensor, absl::Span<const int32_t> indices,
                 TensorList* list) const {
    if (tensor.dim_size(0) != static_cast<int64_t>(indices.size())) {
      return Bad("Expected len(indices) == tensor.shape[0], got ",
                 indices.size(), " and ", tensor.dim_size(0));
    }
    const TensorShape row = WithoutFirst(tensor.shape());
    for (size_t i = 0; i < indices.size(); ++i) {
      const auto at = static_cast<int64_t>(i);
      list->Set(indices[i], Rows(tensor, at, at + 1, row));
    }
    return OkStatus();
  }

  static int64_t Behind(absl::Span<const int32_t> indices) {
    int64_t size = 0;
    for (const int32_t i : indices) size = std::max(size, int64_t{i} + 1);
    return size;
  }

 private:
  DataType dtype_ = DT_INVALID;
};

class TensorListStackOp final : public ListRowsOp {
 public:
  explicit TensorListStackOp(OpKernelConstruction* ctx) : ListRowsOp(ctx) {
    OP_REQUIRES_OK(ctx, ctx->GetAttr("num_elements", &num_elements_));
  }
  void Compute(OpKernelContext* ctx) override {
    const TensorList* list = nullptr;
    OP_REQUIRES_OK(ctx, FindListOf(ctx, 0, dtype(), &list));
    OP_REQUIRES(
        ctx, num_elements_ < 0 || list->size() == num_elements_,
        Bad("Operation expected a list with ", num_elements_,
            " elements but got a list with ", list->size(), " elements."));
    PartialTensorShape shape;
    OP_REQUIRES_OK(ctx, ElementShapeInput(ctx, 1, &shape));
    OP_REQUIRES_OK(ctx, Stack(ctx, *list, shape, list->size(),
                              [](int64_t i) { return i; }));
  }

 private:
  int64_t num_elements_ = -1;
};
REGISTER_KERNEL_BUILDER(Name("TensorListStack").Device(DEVICE_CPU),
                        TensorListStackOp);

class TensorListGatherOp final : public ListRowsOp {
 public:
  using ListRowsOp::ListRowsOp;
  void Compute(OpKernelContext* ctx) override {
    const TensorList* list = nullptr;
    OP_REQUIRES_OK(ctx, FindListOf(ctx, 0, dtype(), &list));
    absl::Span<const int32_t> indices;
    OP_REQUIRES_OK(ctx, Indices(ctx, 1, &indices));
    for (const int32_t index : indices) {
      OP_REQUIRES(ctx, index < list->size(),
                  Bad("Index ", index, " out of range. List only has ",
                      list->size(), " elements."));
    }
    PartialTensorShape shape;
    OP_REQUIRES_OK(ctx, ElementShapeInput(ctx, 2, &shape));
    OP_REQUIRES_OK(
        ctx, Stack(ctx, *list, shape, static_cast<int64_t>(indices.size()),
                   [&](int64_t i) { return indices[i]; }));
  }
};
REGISTER_KERNEL_BUILDER(Name("TensorListGather").Device(DEVICE_CPU),
                        TensorListGatherOp);

class TensorListFromTensorOp final : public ListRowsOp {
 public:
  using ListRowsOp::ListRowsOp;
  void Compute(OpKernelContext* ctx) override {
    const Tensor& tensor = ctx->input(0);
    PartialTensorShape shape;
    OP_REQUIRES_OK(ctx, ElementShapeInput(ctx, 1, &shape));
    OP_REQUIRES_OK(ctx, CheckRows(tensor, shape));
    const int64_t n = tensor.dim_size(0);
    OP_REQUIRES(ctx, n <= TensorList::kMaxSize,
                Bad("a list has at most ", TensorList::kMaxSize,
                    " elements, got a tensor of ", n, " rows"));
    TensorList list(dtype(), std::move(shape));
    list.Resize(n);
    const TensorShape row = WithoutFirst(tensor.shape());
    for (int64_t i = 0; i < n; ++i) list.Set(i, Rows(tensor, i, i + 1, row));
    OP_REQUIRES_OK(ctx, NewList(ctx, 0, std::move(list)));
  }
};
REGISTER_KERNEL_BUILDER(Name("TensorListFromTensor").Device(DEVICE_CPU),
                        TensorListFromTensorOp);

// With num_elements (V2) and without.
class TensorListScatterOp final : public ListRowsOp {
 public:
  using ListRowsOp::ListRowsOp;
  void Compute(OpKernelContext* ctx) override {
    const Tensor& tensor = ctx->input(0);
    absl::Span<const int32_t> indices;
    OP_REQUIRES_OK(ctx, Indices(ctx, 1, &indices));
    PartialTensorShape shape;
    OP_REQUIRES_OK(ctx, ElementShapeInput(ctx, 2, &shape));
    OP_REQUIRES_OK(ctx, CheckRows(tensor, shape));
    int64_t size = Behind(indices);
    if (num_inputs() == 4) {
      OP_REQUIRES(ctx, ctx->input(3).dims() == 0,
                  Bad("num_elements must be a scalar, got shape ",
                      ctx->input(3).shape().DebugString()));
      const int64_t wanted = *ctx->input(3).base<int32_t>();
      OP_REQUIRES(ctx, wanted >= -1 && wanted <= TensorList::kMaxSize,
                  Bad("expected num_elements >= -1, and at most ",
                      TensorList::kMaxSize, ", found: ", wanted));
      OP_REQUIRES(
          ctx, wanted < 0 || size <= wanted,
          Bad("Index ", size - 1, " out of range: num_elements is ", wanted));
      if (wanted >= 0) size = wanted;
    }
    TensorList list(dtype(), std::move(shape));
    list.Resize(size);
    OP_REQUIRES_OK(ctx, Scatter(tensor, indices, &list));
    OP_REQUIRES_OK(ctx, NewList(ctx, 0, std::move(list)));
  }
};
REGISTER_KERNEL_BUILDER(Name("TensorListScatter").Device(DEVICE_CPU),
                        TensorListScatterOp);
REGISTER_KERNEL_BUILDER(Name("TensorListScatterV2").Device(DEVICE_CPU),
                        TensorListScatterOp);

class TensorListScatterIntoExistingListOp final : public ListRowsOp {
 public:
  using ListRowsOp::ListRowsOp;
  void Compute(OpKernelContext* ctx) override {
    const TensorList* list = nullptr;
    OP_REQUIRES_OK(ctx, FindListOf(ctx, 0, dtype(), &list));
    absl::Span<const int32_t> indices;
    OP_REQUIRES_OK(ctx, Indices(ctx, 2, &indices));
    OP_REQUIRES_OK(ctx, CheckRows(ctx->input(1), list->element_shape()));
    TensorList* out = nullptr;
    OP_REQUIRES_OK(ctx, ForwardList(ctx, 0, 0, *list, &out));
    out->Resize(std::max(out->size(), Behind(indices)));
    OP_REQUIRES_OK(ctx, Scatter(ctx->input(1), indices, out));
  }
};
REGISTER_KERNEL_BUILDER(
    Name("TensorListScatterIntoExistingList").Device(DEVICE_CPU),
    TensorListScatterIntoExistingListOp);

class TensorListPushBackBatchOp final : public ListRowsOp {
 public:
  using ListRowsOp::ListRowsOp;
  void Compute(OpKernelContext* ctx) override {
    const Tensor& lists = ctx->input(0);
    const Tensor& tensor = ctx->input(1);
    OP_REQUIRES(ctx,
                TensorShapeUtils::StartsWith(tensor.shape(), lists.shape()),
                Bad("tensor must have shape [input_handles.shape, ...], got ",
                    tensor.shape().DebugString(), " for lists of shape ",
                    lists.shape().DebugString()));
    TensorShape shape = tensor.shape();
    shape.RemoveDimRange(0, lists.dims());
    const int64_t n = lists.NumElements();
    TensorShape as_rows({n});
    OP_REQUIRES_OK(ctx, as_rows.AppendShapeWithStatus(shape));
    Tensor rows;
    OP_REQUIRES(ctx, rows.CopyFrom(tensor, as_rows),
                Bad("tensor has no rows of shape ", shape.DebugString()));
    Tensor out(DT_VARIANT, lists.shape());
    for (int64_t i = 0; i < n; ++i) {
      const TensorList* list = nullptr;
      OP_REQUIRES_OK(ctx, FindList(ctx, 0, &list, i));
      OP_REQUIRES(ctx, list->dtype() == dtype(),
                  Bad("Invalid data type at index ", i, ": op elements ",
                      DataTypeString(dtype()), " but list elements ",
                      DataTypeString(list->dtype())));
      const Tensor value = Rows(rows, i, i + 1, shape);
      OP_REQUIRES_OK(ctx, CheckElement(ctx, *list, value));
      const int64_t max = list->max_num_elements();
      OP_REQUIRES(ctx,
                  (max < 0 || list->size() < max) &&
                      list->size() < TensorList::kMaxSize,
                  Bad("Tried to push item into a full list, list size: ",
                      list->size(), " max_num_elements: ", max));
      TensorList longer = *list;
      longer.PushBack(value);
      out.base<Variant>()[i] = std::move(longer);
    }
    ctx->set_output(0, std::move(out));
  }
};
REGISTER_KERNEL_BUILDER(Name("TensorListPushBackBatch").Device(DEVICE_CPU),
                        TensorListPushBackBatchOp);

// The elements end to end; V2 has the shape, and the sizes of elements that are
// not set, as inputs.
class TensorListConcatOp final : public ListRowsOp {
 public:
  explicit TensorListConcatOp(OpKernelConstruction* ctx) : ListRowsOp(ctx) {
    if (num_inputs() == 1) {
      OP_REQUIRES_OK(ctx, ctx->GetAttr("element_shape", &element_shape_));
    }
  }

  void Compute(OpKernelContext* ctx) override {
    const TensorList* list = nullptr;
    OP_REQUIRES_OK(ctx, FindListOf(ctx, 0, dtype(), &list));
    TensorShape rest;
    OP_REQUIRES_OK(ctx, RestOfShape(ctx, *list, &rest));
    std::vector<int64_t> lengths(list->size());
    int64_t rows = 0;
    for (int64_t i = 0; i < list->size(); ++i) {
      OP_REQUIRES_OK(ctx, LengthOf(ctx, *list, i, &lengths[i]));
      OP_REQUIRES(ctx, !__builtin_add_overflow(rows, lengths[i], &rows),
                  Bad("leading_dims are too large"));
    }
    TensorShape shape;
    OP_REQUIRES_OK(ctx, shape.AddDimWithStatus(rows));
    OP_REQUIRES_OK(ctx, shape.AppendShapeWithStatus(rest));
    Tensor *out = nullptr, *out_lengths = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, shape, &out));
    OP_REQUIRES_OK(ctx, ctx->allocate_output(1, TensorShape({list->size()}),
                                             &out_lengths));
    std::copy(lengths.begin(), lengths.end(), out_lengths->base<int64_t>());
    if (out->NumElements() == 0) return;
    OP_REQUIRES_OK(ctx,
                   DispatchElement(dtype(), [&]<typename T>(ElementTag<T>) {
                     T* to = out->base<T>();
                     for (int64_t i = 0; i < list->size(); ++i) {
                       const int64_t n = lengths[i] * rest.num_elements();
                       const Tensor* value = list->Find(i);
                       if (value != nullptr) {
                         CopyRun(value->base<T>(), n, to);
                       } else {
                         FillRun(T(), n, to);
                       }
                       to += n;
                     }
                   }));
  }

 private:
  // The shape of elements without dimension 0.
  Status RestOfShape(OpKernelContext* ctx, const TensorList& list,
                     TensorShape* rest) const {
    PartialTensorShape known = element_shape_;
    if (num_inputs() > 1) {
      TF_RETURN_IF_ERROR(ElementShapeInput(ctx, 1, &known));
    }
    PartialTensorShape both;
    if (known.dims() != 0 && list.element_shape().dims() != 0) {
      known = Rest(known);
      both = Rest(list.element_shape());
    } else {
      return Bad(
          "Concat requires elements to be at least vectors, found "
          "scalars instead.");
    }
    if (!known.MergeWith(both, &known).ok()) {
      return Bad("element_shape does not fit that of the list, ",
                 list.element_shape().DebugString());
    }
    bool found = false;
    for (int64_t i = 0; i < list.size(); ++i) {
      const Tensor* value = list.Find(i);
      if (value == nullptr) continue;
      if (value->dims() == 0) {
        return Bad(
            "Concat requires elements to be at least vectors, found "
            "scalars instead.");
      }
      const TensorShape own = WithoutFirst(value->shape());
      if (!known.IsCompatibleWith(own) || (found && own != *rest)) {
        return Bad("Tried to concat tensors with unequal shapes: element ", i,
                   " has shape ", value->shape().DebugString(),
                   ", behind dimension 0 it must be ",
                   found ? rest->DebugString() : known.DebugString());
      }
      *rest = own;
      found = true;
    }
    if (found || known.AsTensorShape(rest)) return OkStatus();
    return Bad(
        "All except the first dimension must be fully defined when "
        "concating an empty tensor list. element_shape behind "
        "dimension 0: ",
        known.DebugString());
  }

  static PartialTensorShape Rest(const PartialTensorShape& shape) {
    if (shape.unknown_rank()) return shape;
    PartialTensorShape rest = shape;
    rest.RemoveDim(0);
    return rest;
  }

  Status LengthOf(OpKernelContext* ctx, const TensorList& list, int64_t i,
                  int64_t* length) const {
    if (const Tensor* value = list.Find(i); value != nullptr) {
      *length = value->dim_size(0);
      return OkStatus();
    }
    if (num_inputs() > 2) {
      const Tensor& dims = ctx->input(2);
      if (dims.dims() == 1 && i < dims.NumElements()) {
        *length = dims.base<int64_t>()[i];
        if (*length >= 0) return OkStatus();
      }
      return Bad("List contains uninitialized tensor at index ", i,
                 " but leading_dims has no size for it.");
    }
    PartialTensorShape known;
    TF_RETURN_IF_ERROR(element_shape_.MergeWith(list.element_shape(), &known));
    *length = known.dims() > 0 ? known.dim_size(0) : -1;
    if (*length >= 0) return OkStatus();
    return Bad("List contains uninitialized tensor at index ", i,
               " and the size of its dimension 0 is not known.");
  }

  PartialTensorShape element_shape_;
};
REGISTER_KERNEL_BUILDER(Name("TensorListConcat").Device(DEVICE_CPU),
                        TensorListConcatOp);
REGISTER_KERNEL_BUILDER(Name("TensorListConcatV2").Device(DEVICE_CPU),
                        TensorListConcatOp);

class TensorListSplitOp final : public ListRowsOp {
 public:
  using ListRowsOp::ListRowsOp;
  void Compute(OpKernelContext* ctx) override {
    const Tensor& tensor = ctx->input(0);
    PartialTensorShape shape;
    OP_REQUIRES_OK(ctx, ElementShapeInput(ctx, 1, &shape));
    const Tensor& lengths = ctx->input(2);
    OP_REQUIRES(ctx, lengths.dims() == 1,
                Bad("Expected lengths to be a vector, received shape: ",
                    lengths.shape().DebugString()));
    OP_REQUIRES(ctx, tensor.dims() >= 1,
                Bad("Expected tensor to be at least a vector, but received "
                    "shape: ",
                    tensor.shape().DebugString()));
    OP_REQUIRES(ctx, lengths.NumElements() <= TensorList::kMaxSize,
                Bad("there are too many lengths"));
    TensorList list(dtype(), shape);
    list.Resize(lengths.NumElements());
    int64_t begin = 0;
    for (int64_t i = 0; i < lengths.NumElements(); ++i) {
      const int64_t length = lengths.base<int64_t>()[i];
      OP_REQUIRES(ctx, length >= 0, Bad("Invalid value in lengths: ", length));
      OP_REQUIRES(
          ctx, length <= tensor.dim_size(0) - begin,
          Bad("Attempting to slice [", begin, ", ", begin, " + ", length,
              "] from tensor with length ", tensor.dim_size(0)));
      TensorShape own = tensor.shape();
      own.set_dim(0, length);
      OP_REQUIRES(
          ctx, shape.IsCompatibleWith(own),
          Bad("element ", i, " has shape ", own.DebugString(),
              ", which does not fit element_shape ", shape.DebugString()));
      list.Set(i, Rows(tensor, begin, begin + length, own));
      begin += length;
    }
    OP_REQUIRES(ctx, begin == tensor.dim_size(0),
                Bad("Unused values in tensor. Length of tensor: ",
                    tensor.dim_size(0), " Values used: ", begin));
    OP_REQUIRES_OK(ctx, NewList(ctx, 0, std::move(list)));
  }
};
REGISTER_KERNEL_BUILDER(Name("TensorListSplit").Device(DEVICE_CPU),
                        TensorListSplitOp);

}  // namespace
}  // namespace tensorwright
