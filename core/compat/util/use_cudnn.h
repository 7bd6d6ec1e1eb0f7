// SPDX-License-Identifier: Apache-2.0
// Questions of kernels that have a choice between cuDNN and their own code.
#ifndef TENSORWRIGHT_CORE_COMPAT_UTIL_USE_CUDNN_H_
#define TENSORWRIGHT_CORE_COMPAT_UTIL_USE_CUDNN_H_

#include "core/util/env_var.h"

namespace tensorwright {

namespace use_cudnn_internal {
inline bool Ask(const char* name, bool default_value) {
  bool value = default_value;
  ReadBoolFromEnvVar(name, default_value, &value).IgnoreError();
  return value;
}
}  // namespace use_cudnn_internal

// The environment variables are TensorFlow's.
inline bool CanUseCudnn() {
  return use_cudnn_internal::Ask("TF_USE_CUDNN", true);
}
inline bool CudnnUseAutotune() {
  return use_cudnn_internal::Ask("TF_CUDNN_USE_AUTOTUNE", true);
}
inline bool CudnnRnnUseAutotune() {
  return use_cudnn_internal::Ask("TF_CUDNN_RNN_USE_AUTOTUNE", true);
}
inline bool CudnnDisableConv1x1Optimization() {
  return use_cudnn_internal::Ask("TF_CUDNN_DISABLE_CONV_1X1_OPTIMIZATION",
                                 false);
}
inline bool DebugCudnnRnn() {
  return use_cudnn_internal::Ask("TF_DEBUG_CUDNN_RNN", false);
}

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_COMPAT_UTIL_USE_CUDNN_H_
