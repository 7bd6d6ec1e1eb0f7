// SPDX-License-Identifier: Apache-2.0
// protobuf, to and from the strings of tensors; includes the protos of nodes,
// for sources that got them through op_kernel.h.
#ifndef TENSORWRIGHT_CORE_COMPAT_PLATFORM_PROTOBUF_H_
#define TENSORWRIGHT_CORE_COMPAT_PLATFORM_PROTOBUF_H_

#include "core/framework/node_def.pb.h"
#include "core/platform/protobuf.h"
#include "core/platform/tstring.h"

namespace tensorwright {

// False if a required field is missing, or `bytes` are not such a message.
inline bool SerializeToTString(const protobuf::MessageLite& proto,
                               tstring* bytes) {
  bytes->resize_uninitialized(proto.ByteSizeLong());
  return proto.SerializeToArray(bytes->mdata(),
                                static_cast<int>(bytes->size()));
}
inline bool AppendToTString(const protobuf::MessageLite& proto,
                            tstring* bytes) {
  tstring more;
  if (!SerializeToTString(proto, &more)) return false;
  bytes->append(more);
  return true;
}
inline bool ParseFromTString(const tstring& bytes,
                             protobuf::MessageLite* proto) {
  return proto->ParseFromArray(bytes.data(), static_cast<int>(bytes.size()));
}

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_COMPAT_PLATFORM_PROTOBUF_H_
