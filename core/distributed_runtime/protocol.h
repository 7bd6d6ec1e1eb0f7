// SPDX-License-Identifier: Apache-2.0
// The names that cross the wire between clients, masters and workers: methods,
// and what is said beside each message.
//
// Methods, messages and field numbers are TensorFlow's (core/protobuf/master
// .proto, worker.proto), so a client of either drives a master of either.
// Between a master and its workers, and between workers, there is more than
// messages: names of nodes that the runtime adds, what a partition may contain.
// So both ends say which runtime they are, and a cluster of both is refused.
#ifndef TENSORWRIGHT_CORE_DISTRIBUTED_RUNTIME_PROTOCOL_H_
#define TENSORWRIGHT_CORE_DISTRIBUTED_RUNTIME_PROTOCOL_H_

namespace tensorwright {

inline constexpr char kMasterService[] = "/tensorflow.MasterService/";
inline constexpr char kWorkerService[] = "/tensorflow.WorkerService/";

// Metadata of calls and of replies.
inline constexpr char kRuntimeMetadata[] = "tensorwright-runtime";
inline constexpr char kRuntimeVersion[] = "1";
// What a server with a token wants to hear in every call.
inline constexpr char kTokenMetadata[] = "tensorwright-token";

// A call of ours beside those of either service: keeps a session of a master,
// or of a worker, while it is open (session_holds.h).  Its message is that of
// CloseSession, or DeleteWorkerSession.
inline constexpr char kHoldSession[] = "HoldSession";

// Another one, between workers: RecvTensor for several tensors of a step
// (remote_receiver.h).
inline constexpr char kRecvTensors[] = "RecvTensors";

// Rows of a traced step's timeline beside those of devices, which have what
// the master, "/job:worker/replica:0/task:0/master", and the client waited for.
inline constexpr char kMasterTimeline[] = "/master";
inline constexpr char kClientTimeline[] = "/client";

// Longer texts of errors are cut: gRPC's metadata has little room.
inline constexpr int kMaxErrorBytes = 4000;

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_DISTRIBUTED_RUNTIME_PROTOCOL_H_
