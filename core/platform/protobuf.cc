// SPDX-License-Identifier: Apache-2.0
// Parsing of protos from untrusted bytes.
#include "core/platform/protobuf.h"

#include <limits>

#include "google/protobuf/io/coded_stream.h"

namespace tensorwright {

bool ParseProtoUnlimited(protobuf::MessageLite* proto,
                         absl::string_view bytes) {
  if (bytes.size() > static_cast<size_t>(std::numeric_limits<int32_t>::max())) {
    return false;
  }
  protobuf::io::CodedInputStream input(
      reinterpret_cast<const uint8_t*>(bytes.data()),
      static_cast<int>(bytes.size()));
  input.SetRecursionLimit(100);
  return proto->ParseFromCodedStream(&input) && input.ConsumedEntireMessage();
}

}  // namespace tensorwright
