// SPDX-License-Identifier: Apache-2.0
// Types whose kernels only move bytes: one integer type stands for all types of
// its size.
#ifndef TENSORWRIGHT_CORE_COMPAT_FRAMEWORK_REGISTER_TYPES_TRAITS_H_
#define TENSORWRIGHT_CORE_COMPAT_FRAMEWORK_REGISTER_TYPES_TRAITS_H_

#include "core/framework/register_types.h"
#include "core/framework/types.h"

namespace tensorwright {

// proxy_type_pod<Device, 4>::type is the type of 4 bytes whose kernel serves.
template <typename Device, int size>
struct proxy_type_pod {};
template <>
struct proxy_type_pod<Eigen::ThreadPoolDevice, 16> {
  using type = complex128;
};
template <>
struct proxy_type_pod<Eigen::ThreadPoolDevice, 8> {
  using type = int64;
};
template <>
struct proxy_type_pod<Eigen::ThreadPoolDevice, 4> {
  using type = float;
};
template <>
struct proxy_type_pod<Eigen::ThreadPoolDevice, 2> {
  using type = Eigen::half;
};
template <>
struct proxy_type_pod<Eigen::ThreadPoolDevice, 1> {
  using type = int8;
};
template <>
struct proxy_type_pod<Eigen::GpuDevice, 8> {
  using type = double;
};
template <>
struct proxy_type_pod<Eigen::GpuDevice, 4> {
  using type = float;
};
template <>
struct proxy_type_pod<Eigen::GpuDevice, 2> {
  using type = Eigen::half;
};
template <>
struct proxy_type_pod<Eigen::GpuDevice, 1> {
  using type = int8;
};

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_COMPAT_FRAMEWORK_REGISTER_TYPES_TRAITS_H_
