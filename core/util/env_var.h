// SPDX-License-Identifier: Apache-2.0
// Settings from environment variables.
#ifndef TENSORWRIGHT_CORE_UTIL_ENV_VAR_H_
#define TENSORWRIGHT_CORE_UTIL_ENV_VAR_H_

#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"
#include "core/lib/core/status.h"

namespace tensorwright {

// Gives the default if the variable is not set; InvalidArgument, and the
// default, if its text has another type.
Status ReadBoolFromEnvVar(absl::string_view name, bool default_value,
                          bool* value);
Status ReadInt64FromEnvVar(absl::string_view name, int64_t default_value,
                           int64_t* value);
Status ReadFloatFromEnvVar(absl::string_view name, float default_value,
                           float* value);
Status ReadStringFromEnvVar(absl::string_view name,
                            absl::string_view default_value,
                            std::string* value);

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_UTIL_ENV_VAR_H_
