// SPDX-License-Identifier: Apache-2.0
// TensorList: the value of a DT_VARIANT tensor that is a list of tensors.
//
// A value: copying one and changing the copy leaves the original alone.  Copies
// share blocks of elements, so that a loop which changes one element of a list
// that others still hold copies a block and not the list.
//
// Threads: const access is safe from many.
#ifndef TENSORWRIGHT_CORE_KERNELS_LIST_TENSOR_LIST_H_
#define TENSORWRIGHT_CORE_KERNELS_LIST_TENSOR_LIST_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/framework/op_kernel.h"
#include "core/framework/tensor.h"
#include "core/framework/tensor_shape.h"
#include "core/framework/types.h"
#include "core/framework/variant.h"
#include "core/lib/core/status.h"

namespace tensorwright {

class TensorList {
 public:
  // The longest length of a list: a huge size in a graph by mistake costs no
  // memory.
  static constexpr int64_t kMaxSize = int64_t{1} << 28;

  TensorList() = default;
  TensorList(DataType dtype, PartialTensorShape element_shape)
      : dtype_(dtype), element_shape_(std::move(element_shape)) {}

  std::string TypeName() const { return "tensorwright::TensorList"; }
  std::string DebugString() const;

  // The dtype of every element.
  DataType dtype() const { return dtype_; }
  // Every element's shape fits this.
  const PartialTensorShape& element_shape() const { return element_shape_; }
  // The length that PushBack does not exceed; -1: there is no limit.
  int64_t max_num_elements() const { return max_num_elements_; }
  void set_max_num_elements(int64_t max) { max_num_elements_ = max; }

  int64_t size() const { return size_; }
  // Null: element `i`, 0 <= i < size(), has not been set.
  const Tensor* Find(int64_t i) const;

  // `i` as in Find.  The caller checks the tensor's dtype and shape, and keeps
  // Resize and PushBack within kMaxSize.
  void Set(int64_t i, const Tensor& value);
  void PushBack(const Tensor& value);
  // New elements are not set.
  void Resize(int64_t size);

 private:
  static constexpr int64_t kBlock = 32;
  // Tensors of DT_INVALID are not set.
  using Block = std::vector<Tensor>;

  // Block `b`, for this list alone: copies it if it is shared.
  Block* Own(int64_t b);

  DataType dtype_ = DT_INVALID;
  PartialTensorShape element_shape_;
  int64_t max_num_elements_ = -1;
  int64_t size_ = 0;
  // Reaches as far as elements have been set; null for a block where none has.
  std::vector<std::shared_ptr<Block>> blocks_;
};

// The list in element `index` of input `input`; it lives as long as the input.
// InvalidArgument, naming the op, if the input holds something else.
Status FindList(OpKernelContext* ctx, int input, const TensorList** list,
                int64_t index = 0);
// The same for a scalar input, and with elements of `dtype`.
Status FindListOf(OpKernelContext* ctx, int input, DataType dtype,
                  const TensorList** list);

// Makes a copy of `list`, the list of scalar input `input`, output `output`,
// which the caller may change; it is the input itself if nobody else needs
// that.  Do not use `list` afterwards.
Status ForwardList(OpKernelContext* ctx, int input, int output,
                   const TensorList& list, TensorList** copy);
// Makes `list` the scalar output `output`.
Status NewList(OpKernelContext* ctx, int output, TensorList list);

// Reads the shape in input `input`, a vector of sizes (-1: unknown) or the
// scalar -1.
Status ElementShapeInput(OpKernelContext* ctx, int input,
                         PartialTensorShape* shape);

// InvalidArgument unless `value` may be an element of `list`.
Status CheckElement(OpKernelContext* ctx, const TensorList& list,
                    const Tensor& value);

// Makes zeros, or empty strings.
Status ZeroElement(OpKernelContext* ctx, DataType dtype,
                   const TensorShape& shape, Tensor* zeros);

// Element `index` of `list`, or zeros of `shape` merged with the list's if it
// has not been set.  InvalidArgument if the shapes contradict each other, or
// leave too much open.
Status ReadElement(OpKernelContext* ctx, const TensorList& list, int64_t index,
                   const PartialTensorShape& shape, Tensor* value);

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_KERNELS_LIST_TENSOR_LIST_H_
