// SPDX-License-Identifier: Apache-2.0
// Placer: gives every node of a graph a device of the session.
//
// It knows attributes of devices only, so a node may go to a device of another
// process, which is assumed to have the same kernels as this one.
#ifndef TENSORWRIGHT_CORE_COMMON_RUNTIME_PLACER_H_
#define TENSORWRIGHT_CORE_COMMON_RUNTIME_PLACER_H_

#include "core/common_runtime/device_info.h"
#include "core/graph/graph.h"
#include "core/lib/core/status.h"

namespace tensorwright {

class FunctionLibraryDefinition;

struct PlacerOptions {
  // If the requested device does not exist or has no kernel, use another.
  bool allow_soft_placement = false;
  // Print "name: (Op): /job:..." for each node to stderr.
  bool log_device_placement = false;
  // Nodes that call these need no kernel: functions run on devices of the
  // client's type. Null: there are no functions.
  const FunctionLibraryDefinition* functions = nullptr;
};

// Sets assigned_device_name of every op node that has none.
//   - Nodes named by an attr _class = ["loc:@x"], and nodes that take a
//     reference or a resource, go where x, or the node that gives it, goes.
//   - Otherwise a node goes to the first device that fits its request, types
//     with a kernel for it first, in order of priority.
//   - Feeds and fetches go to the client's device.
// InvalidArgument, with the node, its request and the devices there are, if a
// device does not exist or has no kernel, or two requests in a group contradict
// each other.
Status PlaceGraph(const DeviceSet& devices, const PlacerOptions& options,
                  Graph* graph);

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_COMMON_RUNTIME_PLACER_H_
