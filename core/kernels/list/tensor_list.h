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
  // How long a list may become: what a graph asks for by mistake costs no
  // memory.
  static constexpr int64_t kMaxSize = int64_t{1} << 28;

  TensorList() = default;
  TensorList(DataType dtype, PartialTensorShape element_shape)
      : dtype_(dtype), element_shape_(std::move(element_shape)) {}

  std::string TypeName() const { return "tensorwright::TensorList"; }
  std::string DebugString() const;

  // Of every element.
  DataType dtype() const { return dtype_; }
  // What every element's shape fits.
  const PartialTensorShape& element_shape() const { return element_shape_; }
  // The length that PushBack does not exceed; -1: there is no limit.
  int64_t max_num_elements() const { return max_num_elements_; }
  void set_max_num_elements(int64_t max) { max_num_elements_ = max; }

  int64_t size() const { return size_; }
  // Null: element `i`, 0 <= i < size(), has not been set.
  const Tensor* Find(int64_t i) const;

  // `i` as in Find.  The tensor's dtype and shape are the caller's business, as
  // is that Resize and PushBack stay within kMaxSize.
  void Set(int64_t i, const Tensor& value);
  void PushBack(const Tensor& value);
  // New elements are not set.
  void Resize(int64_t size);

 private:
  static constexpr int64_t kBlock = 32;
  // Tensors of DT_INVALID are not set.
  using Block = std::vector<Tensor>;

  // Block `b`, for this list alone.
  Block* Own(int64_t b);

  DataType dtype_ = DT_INVALID;
  PartialTensorShape element_shape_;
  int64_t max_num_elements_ = -1;
  int64_t size_ = 0;
  // As far as elements have been set; null where none has.
  std::vector<std::shared_ptr<Block>> blocks_;
};

// The list in element `index` of input `input`; it lives as long as the input.
// InvalidArgument, naming the op, if there is something else.
Status FindList(OpKernelContext* ctx, int input, const TensorList** list,
                int64_t index = 0);
// The same of a scalar input and with elements of `dtype`.
Status FindListOf(OpKernelContext* ctx, int input, DataType dtype,
                  const TensorList** list);

// A copy of `list`, that of scalar input `input`, as output `output`, which the
// caller may change: the input itself if nobody else needs it.  `list` is not
// to be used afterwards.
Status ForwardList(OpKernelContext* ctx, int input, int output,
                   const TensorList& list, TensorList** copy);
// A list of its own as scalar output `output`.
Status NewList(OpKernelContext* ctx, int output, TensorList list);

// The shape in input `input`, a vector of sizes (-1: unknown) or the scalar -1.
Status ElementShapeInput(OpKernelContext* ctx, int input,
                         PartialTensorShape* shape);

// InvalidArgument unless `value` may be an element of `list`.
Status CheckElement(OpKernelContext* ctx, const TensorList& list,
                    const Tensor& value);

// Zeros, or empty strings.
Status ZeroElement(OpKernelContext* ctx, DataType dtype,
                   const TensorShape& shape, Tensor* zeros);

// Element `index` of `list`, or zeros of `shape` merged with the list's if it
// has not been set.  InvalidArgument if they contradict, or say too little.
Status ReadElement(OpKernelContext* ctx, const TensorList& list, int64_t index,
                   const PartialTensorShape& shape, Tensor* value);

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_KERNELS_LIST_TENSOR_LIST_H_
