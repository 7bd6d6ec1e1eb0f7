// SPDX-License-Identifier: Apache-2.0
// Features that the package was built with.
#ifndef TENSORWRIGHT_CORE_COMPAT_UTIL_PORT_H_
#define TENSORWRIGHT_CORE_COMPAT_UTIL_PORT_H_

namespace tensorwright {

inline bool IsGoogleCudaEnabled() {
#if GOOGLE_CUDA
  return true;
#else
  return false;
#endif
}
inline bool IsBuiltWithROCm() { return false; }
inline bool GpuSupportsHalfMatMulAndConv() { return IsGoogleCudaEnabled(); }
inline bool IsMklEnabled() { return true; }

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_COMPAT_UTIL_PORT_H_
