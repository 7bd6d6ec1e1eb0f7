// SPDX-License-Identifier: Apache-2.0
// Writes the tensors of debug ops: dumps, which TensorFlow's debugger reads.
#ifndef TENSORWRIGHT_CORE_KERNELS_DEBUG_DEBUG_OPS_PUBLISH_H_
#define TENSORWRIGHT_CORE_KERNELS_DEBUG_DEBUG_OPS_PUBLISH_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "core/framework/tensor.h"
#include "core/lib/core/status.h"
#include "core/platform/env.h"

namespace tensorwright {

// Tells which tensor a debug op watches.
struct DebugNodeKey {
  std::string device_name, node_name;
  int32_t output_slot = 0;
  std::string debug_op;

  // tensor_name is "node:slot" or "node"; InvalidArgument for "" or others.
  static Status Parse(const std::string& device_name,
                      absl::string_view tensor_name, absl::string_view debug_op,
                      DebugNodeKey* key);

  // "node:slot:DebugIdentity".
  std::string Name() const;
  // The path relative to the folder of a dump:
  // "_tfdbg_device_,job_localhost,.../node_slot_DebugIdentity".
  std::string Path() const;
};

// Writes the tensor to each URL of a debug op.  "file://" and a folder: writes
// a separate file there, named by the key's path and the time in microseconds,
// with a serialized Event (core/util/event.proto) whose summary has the tensor.
// Makes folders.  Thread-safe.
//
// Errors: Unavailable for "grpc://", which needs a debugger's client that is
// not in this library; InvalidArgument for a URL of another kind;
// ResourceExhausted after $TFDBG_DISK_BYTES_LIMIT bytes of this process (100 GB
// unless set); if files cannot be written, the first such error, with the error
// of each.
Status PublishDebugTensor(Env* env, const DebugNodeKey& key,
                          const Tensor& tensor,
                          const std::vector<std::string>& urls);

// Is a node that servers may switch off on?  It is if it writes to anything but
// servers, since only a client would hear their request to open its gate.
bool IsDebugGateOpen(const std::vector<std::string>& urls);

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_KERNELS_DEBUG_DEBUG_OPS_PUBLISH_H_
