// SPDX-License-Identifier: Apache-2.0
// protobuf under the name TensorFlow's sources use, and parsing of untrusted
// bytes.
#ifndef TENSORWRIGHT_CORE_PLATFORM_PROTOBUF_H_
#define TENSORWRIGHT_CORE_PLATFORM_PROTOBUF_H_

#include <string>

#include "absl/strings/string_view.h"
#include "google/protobuf/map.h"
#include "google/protobuf/message.h"
#include "google/protobuf/repeated_field.h"
#include "google/protobuf/text_format.h"

namespace tensorwright {

namespace protobuf = ::google::protobuf;
using protobuf_int64 = int64_t;
using protobuf_uint64 = uint64_t;

// False if `bytes` are no such message; messages nest at most 100 deep, so a
// stranger's cannot exhaust the stack.
bool ParseProtoUnlimited(protobuf::MessageLite* proto, absl::string_view bytes);

inline const std::string& ProtobufStringToString(const std::string& s) {
  return s;
}

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_PLATFORM_PROTOBUF_H_
