// SPDX-License-Identifier: Apache-2.0
// The header that .cu.cc files of custom ops include: launching, loops,
// atomics, and the exchanges of a warp.
#ifndef TENSORWRIGHT_CORE_COMPAT_UTIL_GPU_KERNEL_HELPER_H_
#define TENSORWRIGHT_CORE_COMPAT_UTIL_GPU_KERNEL_HELPER_H_

#if GOOGLE_CUDA

#include "core/compat/util/gpu_device_functions.h"
#include "core/util/gpu_kernel_helper.h"

#endif  // GOOGLE_CUDA

#endif  // TENSORWRIGHT_CORE_COMPAT_UTIL_GPU_KERNEL_HELPER_H_
