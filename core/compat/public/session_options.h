// SPDX-License-Identifier: Apache-2.0
// The options that a session is made with.
#ifndef TENSORWRIGHT_CORE_COMPAT_PUBLIC_SESSION_OPTIONS_H_
#define TENSORWRIGHT_CORE_COMPAT_PUBLIC_SESSION_OPTIONS_H_

#include <string>

#include "core/platform/env.h"
#include "core/protobuf/config.pb.h"

namespace tensorwright {

struct SessionOptions {
  Env* env = Env::Default();
  std::string target;  // "" for the devices of this process.
  ConfigProto config;
};

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_COMPAT_PUBLIC_SESSION_OPTIONS_H_
