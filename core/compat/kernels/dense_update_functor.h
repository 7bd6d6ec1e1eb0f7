// SPDX-License-Identifier: Apache-2.0
// Functors that add to a whole tensor, subtract from it, or overwrite it.
#ifndef TENSORWRIGHT_CORE_COMPAT_KERNELS_DENSE_UPDATE_FUNCTOR_H_
#define TENSORWRIGHT_CORE_COMPAT_KERNELS_DENSE_UPDATE_FUNCTOR_H_

#include "core/framework/tensor_types.h"

namespace tensorwright {

enum DenseUpdateType { ADD, SUB, ASSIGN };

namespace functor {

template <typename Device, typename T, DenseUpdateType OP>
struct DenseUpdate {
  void operator()(const Device& d, typename TTypes<T>::Flat params,
                  typename TTypes<T>::ConstFlat update) {
    if constexpr (OP == ADD) {
      params.device(d) += update;
    } else if constexpr (OP == SUB) {
      params.device(d) -= update;
    } else {
      params.device(d) = update;
    }
  }
};

}  // namespace functor
}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_COMPAT_KERNELS_DENSE_UPDATE_FUNCTOR_H_
