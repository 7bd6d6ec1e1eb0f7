// SPDX-License-Identifier: Apache-2.0
// Decides in which memory the values of a partition live, and copies them from
// one memory to another.
//
// Kernels of a device whose memory the host cannot read say which of their
// arguments live in host memory (HostMemory in their registration; strings and
// resources always do).  If the two ends of an edge differ,
// the value is sent and received like one that crosses between devices, and the
// step's rendezvous copies it.  So only NewCopyingRendezvous copies.
#ifndef TENSORWRIGHT_CORE_COMMON_RUNTIME_MEMORY_COPIES_H_
#define TENSORWRIGHT_CORE_COMMON_RUNTIME_MEMORY_COPIES_H_

#include "core/common_runtime/device_mgr.h"
#include "core/framework/rendezvous.h"
#include "core/graph/graph.h"
#include "core/lib/core/status.h"

namespace tensorwright {

// Is the node a constant that a plan holds as a tensor, in whichever memory its
// readers want it, instead of running a kernel?  A constant that waits for
// something may be dead, or belong to a loop, and a constant that a Merge takes
// has to arrive there; these run.
bool IsPlanConstant(const Node& node);

// Makes both ends of every data edge of `graph`, a partition for `device`,
// agree on the memory.  A transfer becomes a _HostSend or _HostRecv if all of
// its other ends are in host memory; other edges whose ends differ get a pair
// of transfers. Does nothing if the device's memory is the host's.
//   InvalidArgument: a reference would have to be copied.  Otherwise the errors
//   of kernels says.  The node is noted in the error.
Status InsertMemoryCopies(Device* device, Graph* graph);

// Passes Send and Recv on to `inner`, of which it takes a reference.  When a
// value is received that lives in one memory and is wanted in another, it is
// copied: from the sending device's memory to the host's, and from there to the
// receiving device's.  Devices that are not in `devices` send from host memory.
// The caller owns one reference; `devices` outlives it.  Thread safe.
Rendezvous* NewCopyingRendezvous(const DeviceMgr* devices, Rendezvous* inner);

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_COMMON_RUNTIME_MEMORY_COPIES_H_
