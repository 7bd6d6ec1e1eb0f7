// SPDX-License-Identifier: Apache-2.0
// Settings from environment variables.
#include "core/util/env_var.h"

#include <cstdlib>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "core/lib/core/errors.h"

namespace tensorwright {
namespace {

template <typename T, typename Parse>
Status Read(absl::string_view name, T default_value, T* value, Parse parse,
            absl::string_view kind) {
  *value = default_value;
  const char* text = std::getenv(std::string(name).c_str());
  if (text == nullptr || *text == '\0') return OkStatus();
  T parsed;
  if (!parse(text, &parsed)) {
    return errors::InvalidArgument("The environment variable ", name,
                                   " must be ", kind, ", got '", text, "'");
  }
  *value = parsed;
  return OkStatus();
}

}  // namespace

Status ReadBoolFromEnvVar(absl::string_view name, bool default_value,
                          bool* value) {
  return Read(
      name, default_value, value,
      [](const char* text, bool* v) { return absl::SimpleAtob(text, v); },
      "0, 1, true or false");
}

Status ReadInt64FromEnvVar(absl::string_view name, int64_t default_value,
                           int64_t* value) {
  return Read(
      name, default_value, value,
      [](const char* text, int64_t* v) { return absl::SimpleAtoi(text, v); },
      "an integer");
}

Status ReadFloatFromEnvVar(absl::string_view name, float default_value,
                           float* value) {
  return Read(
      name, default_value, value,
      [](const char* text, float* v) { return absl::SimpleAtof(text, v); },
      "a number");
}

Status ReadStringFromEnvVar(absl::string_view name,
                            absl::string_view default_value,
                            std::string* value) {
  const char* text = std::getenv(std::string(name).c_str());
  *value = text == nullptr || *text == '\0' ? std::string(default_value) : text;
  return OkStatus();
}

}  // namespace tensorwright
