// SPDX-License-Identifier: Apache-2.0
// half and bfloat16 in kernels for GPUs: how they are stored, and the float
// that they are computed in.
//
// The types stand for Eigen::half and Eigen::bfloat16, whose bits they have:
// nvcc need not read Eigen.  The host's side of a kernel includes this too.
#ifndef TENSORWRIGHT_CORE_LIB_GPU_FLOATS_H_
#define TENSORWRIGHT_CORE_LIB_GPU_FLOATS_H_

#include <cstdint>
#include <type_traits>

namespace Eigen {
struct half;
struct bfloat16;
}  // namespace Eigen

namespace tensorwright {
namespace gpu {

struct Half {
  uint16_t bits;
};
struct Bfloat16 {
  uint16_t bits;
};

// The type of this header for one of Eigen, and every other type for itself.
template <typename T>
struct StorageOf {
  using type = T;
};
template <>
struct StorageOf<Eigen::half> {
  using type = Half;
};
template <>
struct StorageOf<Eigen::bfloat16> {
  using type = Bfloat16;
};
template <typename T>
using Storage = typename StorageOf<T>::type;

template <typename T>
inline constexpr bool kIsNarrow =
    std::is_same_v<T, Half> || std::is_same_v<T, Bfloat16>;

// The type that T is computed in.
template <typename T>
using Compute = std::conditional_t<kIsNarrow<T>, float, T>;

}  // namespace gpu
}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_LIB_GPU_FLOATS_H_
