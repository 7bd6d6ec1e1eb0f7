// SPDX-License-Identifier: Apache-2.0
// Functors that set a tensor to one value on a device.
#ifndef TENSORWRIGHT_CORE_COMPAT_KERNELS_FILL_FUNCTOR_H_
#define TENSORWRIGHT_CORE_COMPAT_KERNELS_FILL_FUNCTOR_H_

#include "core/framework/tensor_types.h"
#include "core/platform/tstring.h"

namespace Eigen {
struct ThreadPoolDevice;
}  // namespace Eigen

namespace tensorwright {
namespace functor {

template <typename Device, typename T>
struct SetZeroFunctor {
  void operator()(const Device& d, typename TTypes<T>::Flat out) {
    out.device(d) = out.constant(T(0));
  }
};
// Eigen copies a constant of strings once for each element; that needs no
// threads.
template <typename Device>
struct SetZeroFunctor<Device, tstring> {
  void operator()(const Device&, TTypes<tstring>::Flat out) {
    for (Index i = 0; i < out.size(); ++i) out(i).clear();
  }
};

template <typename Device, typename T>
struct SetOneFunctor {
  void operator()(const Device& d, typename TTypes<T>::Flat out) {
    out.device(d) = out.constant(T(1));
  }
};

template <typename Device, typename T>
struct FillFunctor {
  void operator()(const Device& d, typename TTypes<T>::Flat out,
                  typename TTypes<T>::ConstScalar in) {
    out.device(d) = out.constant(in());
  }
};
template <typename Device>
struct FillFunctor<Device, tstring> {
  void operator()(const Device&, TTypes<tstring>::Flat out,
                  TTypes<tstring>::ConstScalar in) {
    for (Index i = 0; i < out.size(); ++i) out(i) = in();
  }
};

}  // namespace functor
}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_COMPAT_KERNELS_FILL_FUNCTOR_H_
