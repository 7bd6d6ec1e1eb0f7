// SPDX-License-Identifier: Apache-2.0
// TensorList, and helpers of its kernels.
#include "core/kernels/list/tensor_list.h"

#include <algorithm>
#include <atomic>
#include <utility>

#include "absl/strings/str_cat.h"
#include "core/kernels/lib/element_dispatch.h"
#include "core/lib/core/errors.h"

namespace tensorwright {

std::string TensorList::DebugString() const {
  return absl::StrCat("TensorList<", DataTypeString(dtype_), ", ", size_,
                      " elements of shape ", element_shape_.DebugString(), ">");
}

const Tensor* TensorList::Find(int64_t i) const {
  const auto b = static_cast<size_t>(i / kBlock);
  const auto at = static_cast<size_t>(i % kBlock);
  if (b >= blocks_.size() || blocks_[b] == nullptr ||
      at >= blocks_[b]->size() || (*blocks_[b])[at].dtype() == DT_INVALID) {
    return nullptr;
  }
  return &(*blocks_[b])[at];
}

TensorList::Block* TensorList::Own(int64_t b) {
  if (blocks_.size() <= static_cast<size_t>(b)) blocks_.resize(b + 1);
  std::shared_ptr<Block>& block = blocks_[b];
  if (block == nullptr) {
    block = std::make_shared<Block>();
  } else if (block.use_count() > 1) {
    block = std::make_shared<Block>(*block);
  } else {
    // Code that shared it a moment ago has read the memory that is written now.
    std::atomic_thread_fence(std::memory_order_acquire);
  }
  return block.get();
}

void TensorList::Set(int64_t i, const Tensor& value) {
  Block* const block = Own(i / kBlock);
  const auto at = static_cast<size_t>(i % kBlock);
  if (block->size() <= at) {
    if (block->empty()) block->reserve(std::min(size_ - i + 1, kBlock));
    block->resize(at + 1, Tensor(DT_INVALID));
  }
  (*block)[at] = value;
}

void TensorList::PushBack(const Tensor& value) {
  ++size_;
  Set(size_ - 1, value);
}

void TensorList::Resize(int64_t size) {
  if (size < size_) {
    const int64_t blocks = (size + kBlock - 1) / kBlock;
    if (static_cast<int64_t>(blocks_.size()) >= blocks) {
      blocks_.resize(blocks);
      const auto in_last = static_cast<size_t>(size % kBlock);
      if (in_last != 0 && blocks_.back() != nullptr &&
          blocks_.back()->size() > in_last) {
        Own(blocks - 1)->resize(in_last, Tensor(DT_INVALID));
      }
    }
  }
  size_ = size;
}

Status FindList(OpKernelContext* ctx, int input, const TensorList** list,
                int64_t index) {
  const Tensor& tensor = ctx->input(input);
  if (index >= tensor.NumElements()) {
    return errors::InvalidArgument(ctx->op_kernel().type_string(),
                                   ": a list was expected, got no element");
  }
  const Variant& variant = tensor.base<Variant>()[index];
  *list = variant.get<TensorList>();
  if (*list != nullptr) return OkStatus();
  return errors::InvalidArgument(
      ctx->op_kernel().type_string(), ": Input handle is not a list. Saw: '",
      variant.is_empty() ? "nothing" : variant.TypeName(), "'");
}

Status FindListOf(OpKernelContext* ctx, int input, DataType dtype,
                  const TensorList** list) {
  const Tensor& tensor = ctx->input(input);
  if (tensor.dims() != 0) {
    return errors::InvalidArgument(ctx->op_kernel().type_string(),
                                   ": Input list must be a scalar, got shape ",
                                   tensor.shape().DebugString());
  }
  TF_RETURN_IF_ERROR(FindList(ctx, input, list));
  if ((*list)->dtype() == dtype) return OkStatus();
  return errors::InvalidArgument(ctx->op_kernel().type_string(),
                                 ": Invalid data types; op elements ",
                                 DataTypeString(dtype), " but list elements ",
                                 DataTypeString((*list)->dtype()));
}

Status ForwardList(OpKernelContext* ctx, int input, int output,
                   const TensorList& list, TensorList** copy) {
  Tensor* out = nullptr;
  if (!ctx->forward_input_to_output_with_shape(input, output, TensorShape(),
                                               &out)) {
    TF_RETURN_IF_ERROR(ctx->allocate_output(output, TensorShape(), &out));
    *out->base<Variant>() = list;
  }
  *copy = out->base<Variant>()->get<TensorList>();
  return OkStatus();
}

Status NewList(OpKernelContext* ctx, int output, TensorList list) {
  Tensor* out = nullptr;
  TF_RETURN_IF_ERROR(ctx->allocate_output(output, TensorShape(), &out));
  *out->base<Variant>() = std::move(list);
  return OkStatus();
}

Status ElementShapeInput(OpKernelContext* ctx, int input,
                         PartialTensorShape* shape) {
  const Tensor& sizes = ctx->input(input);
  const std::string& op = ctx->op_kernel().type_string();
  if (sizes.dims() == 0) {
    const int64_t value = sizes.dtype() == DT_INT32 ? *sizes.base<int32_t>()
                                                    : *sizes.base<int64_t>();
    if (value != -1) {
      return errors::InvalidArgument(
          op, ": element_shape must be a vector, or -1 for any shape, got ",
          value);
    }
    *shape = PartialTensorShape();
    return OkStatus();
  }
  if (sizes.dims() != 1) {
    return errors::InvalidArgument(
        op, ": element_shape must be a vector, got shape ",
        sizes.shape().DebugString());
  }
  return sizes.dtype() == DT_INT32
             ? TensorShapeUtils::MakeShape(Flat<int32_t>(sizes), shape)
             : TensorShapeUtils::MakeShape(Flat<int64_t>(sizes), shape);
}

Status CheckElement(OpKernelContext* ctx, const TensorList& list,
                    const Tensor& value) {
  if (list.element_shape().IsCompatibleWith(value.shape())) return OkStatus();
  return errors::InvalidArgument(
      ctx->op_kernel().type_string(), ": an element of shape ",
      value.shape().DebugString(), " does not fit the list's element shape ",
      list.element_shape().DebugString());
}

Status ZeroElement(OpKernelContext* ctx, DataType dtype,
                   const TensorShape& shape, Tensor* zeros) {
  TF_RETURN_IF_ERROR(ctx->allocate_temp(dtype, shape, zeros));
  return DispatchElement(dtype, [&]<typename T>(ElementTag<T>) {
    FillRun(T(), zeros->NumElements(), zeros->base<T>());
  });
}

Status ReadElement(OpKernelContext* ctx, const TensorList& list, int64_t index,
                   const PartialTensorShape& shape, Tensor* value) {
  const std::string& op = ctx->op_kernel().type_string();
  if (const Tensor* found = list.Find(index); found != nullptr) {
    if (!shape.IsCompatibleWith(found->shape())) {
      return errors::InvalidArgument(
          op, ": element ", index, " has shape ", found->shape().DebugString(),
          ", element_shape is ", shape.DebugString());
    }
    *value = *found;
    return OkStatus();
  }
  PartialTensorShape known;
  TF_RETURN_IF_ERROR(list.element_shape().MergeWith(shape, &known));
  TensorShape zeros;
  if (!known.AsTensorShape(&zeros)) {
    return errors::InvalidArgument(
        op, ": Trying to read an uninitialized element, ", index,
        ", but element_shape is not fully defined: ", known.DebugString());
  }
  return ZeroElement(ctx, list.dtype(), zeros, value);
}

}  // namespace tensorwright
