// SPDX-License-Identifier: Apache-2.0
// DMAHelper: the memory of a tensor, for code that moves it by itself.
#ifndef TENSORWRIGHT_CORE_COMPAT_COMMON_RUNTIME_DMA_HELPER_H_
#define TENSORWRIGHT_CORE_COMPAT_COMMON_RUNTIME_DMA_HELPER_H_

#include "core/framework/tensor.h"

namespace tensorwright {

class DMAHelper {
 public:
  static bool CanUseDMA(const Tensor* t) {
    return DataTypeCanUseMemcpy(t->dtype());
  }
  static void* base(Tensor* t) { return t->data(); }
  static const void* base(const Tensor* t) { return t->data(); }
  static TensorBuffer* buffer(Tensor* t) { return t->buffer(); }
  static const TensorBuffer* buffer(const Tensor* t) { return t->buffer(); }
};

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_COMPAT_COMMON_RUNTIME_DMA_HELPER_H_
