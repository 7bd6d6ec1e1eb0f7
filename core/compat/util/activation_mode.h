// SPDX-License-Identifier: Apache-2.0
// The activation_mode attr of ops that fuse an activation.
#ifndef TENSORWRIGHT_CORE_COMPAT_UTIL_ACTIVATION_MODE_H_
#define TENSORWRIGHT_CORE_COMPAT_UTIL_ACTIVATION_MODE_H_

#include <string>

#include "absl/strings/string_view.h"
#include "core/lib/core/errors.h"
#include "core/lib/core/status.h"

namespace tensorwright {

enum ActivationMode {
  NONE = 0,
  SIGMOID = 1,
  RELU = 2,
  RELU6 = 3,
  RELUX = 4,
  TANH = 5,
  BANDPASS = 6,
};

inline Status GetActivationModeFromString(const std::string& text,
                                          ActivationMode* value) {
  constexpr absl::string_view kNames[] = {
      "None", "Sigmoid", "Relu", "Relu6", "ReluX", "Tanh", "BandPass"};
  for (int i = 0; i < 7; ++i) {
    if (text == kNames[i]) {
      *value = static_cast<ActivationMode>(i);
      return Status();
    }
  }
  return errors::NotFound("activation_mode: no activation is called ", text);
}

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_COMPAT_UTIL_ACTIVATION_MODE_H_
