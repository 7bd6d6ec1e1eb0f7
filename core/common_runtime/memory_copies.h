// SPDX-License-Identifier: Apache-2.0
// Where the values of a partition live, and how they cross between memories.
//
// Kernels of a device whose memory the host cannot read say which of their
// arguments live in host memory (HostMemory in their registration; strings,
// resources and values of int32 always do).  Where the two ends of an edge
// differ, the value is sent and received like one that crosses between devices,
// and the step's rendezvous copies it.  So there is one place that copies:
// NewCopyingRendezvous.
#ifndef TENSORWRIGHT_CORE_COMMON_RUNTIME_MEMORY_COPIES_H_
#define TENSORWRIGHT_CORE_COMMON_RUNTIME_MEMORY_COPIES_H_

#include "core/common_runtime/device_mgr.h"
#include "core/framework/rendezvous.h"
#include "core/graph/graph.h"
#include "core/lib/core/status.h"

namespace tensorwright {

// Is the node a constant that a plan holds as a tensor, in whichever memory its
// readers want it, instead of running a kernel?  One that waits for something
// may be dead, or belong to a loop; one that a Merge takes has to arrive there.
bool IsPlanConstant(const Node& node);

// Makes both ends of every data edge of `graph`, a partition for `device`,
// agree on the memory.  A transfer all of whose other ends are in host memory
// becomes a _HostSend or _HostRecv; other edges that differ get a pair of
// transfers. Does nothing where the device's memory is the host's.
//   InvalidArgument: a reference would have to be copied.  Else what finding
//   kernels says.  The node is noted in the error.
Status InsertMemoryCopies(Device* device, Graph* graph);

// Passes Send and Recv on to `inner`, of which it takes a reference.  A value
// that lives in one memory and is wanted in another is copied when it is
// received: from the sending device's to the host's, and from there to the
// receiving one's.  Devices that are not in `devices` send host memory.  The
// caller owns one reference; `devices` outlives it.  Thread safe.
Rendezvous* NewCopyingRendezvous(const DeviceMgr* devices, Rendezvous* inner);

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_COMMON_RUNTIME_MEMORY_COPIES_H_
