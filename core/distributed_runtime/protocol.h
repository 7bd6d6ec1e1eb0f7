// SPDX-License-Identifier: Apache-2.0
// The names that cross the wire between clients, masters and workers: methods,
// and the metadata of each message.
//
// Methods, messages and field numbers are TensorFlow's (core/protobuf/master
// .proto, worker.proto), so a client of either drives a master of either. A
// master and its workers, and workers among each other, must agree on more than
// messages: on names of nodes that the runtime adds, and on the nodes of a
// partition. So both ends tell which runtime they are, and a cluster of both
// runtimes is refused.
#ifndef TENSORWRIGHT_CORE_DISTRIBUTED_RUNTIME_PROTOCOL_H_
#define TENSORWRIGHT_CORE_DISTRIBUTED_RUNTIME_PROTOCOL_H_

namespace tensorwright {

inline constexpr char kMasterService[] = "/tensorflow.MasterService/";
inline constexpr char kWorkerService[] = "/tensorflow.WorkerService/";

// Metadata of calls and of replies.
inline constexpr char kRuntimeMetadata[] = "tensorwright-runtime";
inline constexpr char kRuntimeVersion[] = "1";
// A server with a token expects it in every call.
inline constexpr char kTokenMetadata[] = "tensorwright-token";

// A call of ours beside those of either service: while it is open, it keeps a
// session of a master, or of a worker (session_holds.h).  Its message is that
// of CloseSession, or DeleteWorkerSession.
inline constexpr char kHoldSession[] = "HoldSession";

// Another one, between workers: RecvTensor for several tensors of a step
// (remote_receiver.h).
inline constexpr char kRecvTensors[] = "RecvTensors";

// Rows of a traced step's timeline beside those of devices: they show the waits
// of the master, "/job:worker/replica:0/task:0/master", and of the client.
inline constexpr char kMasterTimeline[] = "/master";
inline constexpr char kClientTimeline[] = "/client";

// Longer texts of errors are cut: gRPC's metadata has little room.
inline constexpr int kMaxErrorBytes = 4000;

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_DISTRIBUTED_RUNTIME_PROTOCOL_H_
