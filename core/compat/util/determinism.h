// SPDX-License-Identifier: Apache-2.0
// Must kernels give the same bits each time?
#ifndef TENSORWRIGHT_CORE_COMPAT_UTIL_DETERMINISM_H_
#define TENSORWRIGHT_CORE_COMPAT_UTIL_DETERMINISM_H_

#include "core/util/env_var.h"

namespace tensorwright {

inline bool OpDeterminismRequired() {
  bool value = false;
  ReadBoolFromEnvVar("TF_DETERMINISTIC_OPS", false, &value).IgnoreError();
  return value;
}
inline bool OpOrderDeterminismRequired() { return OpDeterminismRequired(); }

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_COMPAT_UTIL_DETERMINISM_H_
