// SPDX-License-Identifier: Apache-2.0
// Protocol buffers as bytes that depend on their values only; includes the
// protos of nodes, for sources that got them through op_kernel.h.
#ifndef TENSORWRIGHT_CORE_COMPAT_LIB_STRINGS_PROTO_SERIALIZATION_H_
#define TENSORWRIGHT_CORE_COMPAT_LIB_STRINGS_PROTO_SERIALIZATION_H_

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>
#include <google/protobuf/message_lite.h>

#include <cstdint>
#include <string>

#include "core/framework/node_def.pb.h"
#include "core/lib/hash/hash.h"

namespace tensorwright {

// Maps are written in the order of their keys.  False if the message is too
// large.
inline bool SerializeToStringDeterministic(
    const google::protobuf::MessageLite& message, std::string* result) {
  result->clear();
  google::protobuf::io::StringOutputStream stream(result);
  google::protobuf::io::CodedOutputStream out(&stream);
  out.SetSerializationDeterministic(true);
  return message.SerializeToCodedStream(&out) && !out.HadError();
}

inline uint64_t DeterministicProtoHash64(
    const google::protobuf::MessageLite& message, uint64_t seed = 0) {
  std::string bytes;
  if (!SerializeToStringDeterministic(message, &bytes)) return 0;
  return Hash64(bytes.data(), bytes.size(), seed);
}

inline bool AreSerializedProtosEqual(const google::protobuf::MessageLite& x,
                                     const google::protobuf::MessageLite& y) {
  std::string a, b;
  return SerializeToStringDeterministic(x, &a) &&
         SerializeToStringDeterministic(y, &b) && a == b;
}

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_COMPAT_LIB_STRINGS_PROTO_SERIALIZATION_H_
