// SPDX-License-Identifier: Apache-2.0
// Activations of recurrent cells, for Eigen's unaryExpr and binaryExpr: their
// derivatives as functions of the activation itself, and clipping.
#ifndef TENSORWRIGHT_CORE_COMPAT_KERNELS_EIGEN_ACTIVATIONS_H_
#define TENSORWRIGHT_CORE_COMPAT_KERNELS_EIGEN_ACTIVATIONS_H_

#include "core/framework/tensor_types.h"

namespace Eigen {

// The derivative of y = 1 / (1 + exp(-x)): dy/dx = y (1 - y).
template <typename T>
struct scalar_sigmoid_fast_derivative_op {
  EIGEN_DEVICE_FUNC EIGEN_STRONG_INLINE T operator()(const T& y) const {
    return y * (T(1) - y);
  }
  template <typename Packet>
  EIGEN_DEVICE_FUNC EIGEN_STRONG_INLINE Packet packetOp(const Packet& y) const {
    const Packet one = internal::pset1<Packet>(T(1));
    return internal::pmul(y, internal::psub(one, y));
  }
};

// The derivative of y = tanh(x): dy/dx = 1 - y^2.
template <typename T>
struct scalar_tanh_fast_derivative_op {
  EIGEN_DEVICE_FUNC EIGEN_STRONG_INLINE T operator()(const T& y) const {
    return T(1) - y * y;
  }
  template <typename Packet>
  EIGEN_DEVICE_FUNC EIGEN_STRONG_INLINE Packet packetOp(const Packet& y) const {
    const Packet one = internal::pset1<Packet>(T(1));
    return internal::psub(one, internal::pmul(y, y));
  }
};

// Clips x to [-limit, limit].
template <typename T>
struct scalar_clip_op {
  EIGEN_DEVICE_FUNC EIGEN_STRONG_INLINE T operator()(const T& x,
                                                     const T& limit) const {
    return numext::mini(numext::maxi(x, -limit), limit);
  }
  template <typename Packet>
  EIGEN_DEVICE_FUNC EIGEN_STRONG_INLINE Packet
  packetOp(const Packet& x, const Packet& limit) const {
    return internal::pmin(internal::pmax(x, internal::pnegate(limit)), limit);
  }
};

namespace internal {

template <typename T>
struct functor_traits<scalar_sigmoid_fast_derivative_op<T>> {
  enum {
    Cost = NumTraits<T>::AddCost + NumTraits<T>::MulCost,
    PacketAccess = packet_traits<T>::HasAdd && packet_traits<T>::HasMul
  };
};
template <typename T>
struct functor_traits<scalar_tanh_fast_derivative_op<T>>
    : functor_traits<scalar_sigmoid_fast_derivative_op<T>> {};
template <typename T>
struct functor_traits<scalar_clip_op<T>> {
  enum {
    Cost = 3 * NumTraits<T>::AddCost,
    PacketAccess = packet_traits<T>::HasMin && packet_traits<T>::HasMax &&
                   packet_traits<T>::HasNegate
  };
};

}  // namespace internal
}  // namespace Eigen

#endif  // TENSORWRIGHT_CORE_COMPAT_KERNELS_EIGEN_ACTIVATIONS_H_
