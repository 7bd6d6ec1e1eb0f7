// SPDX-License-Identifier: Apache-2.0
// RemoteGraph.
#include "core/distributed_runtime/remote_graph.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "core/distributed_runtime/protocol.h"
#include "core/distributed_runtime/wire.h"
#include "core/lib/core/errors.h"
#include "core/protobuf/master.pb.h"
#include "google/protobuf/io/coded_stream.h"
#include "google/protobuf/io/zero_copy_stream_impl_lite.h"

namespace tensorwright {
namespace {

constexpr absl::Duration kCloseTimeout = absl::Seconds(5);

// Equal for equal nodes, whatever the order of their attrs in memory.
size_t FingerprintOf(const NodeDef& node) {
  std::string bytes;
  google::protobuf::io::StringOutputStream stream(&bytes);
  google::protobuf::io::CodedOutputStream out(&stream);
  out.SetSerializationDeterministic(true);
  node.SerializeToCodedStream(&out);
  out.Trim();
  return std::hash<std::string>()(bytes);
}

}  // namespace

std::string MasterMethod(const char* name) {
  return absl::StrCat(kMasterService, name);
}

RemoteGraph::RemoteGraph(std::shared_ptr<Transport> master, std::string target,
                         const ConfigProto& config)
    : master_(std::move(master)), target_(std::move(target)), config_(config) {}

StatusOr<std::string> RemoteGraph::Update(
    const LiveGraph& graph, const CallOptions& options,
    const std::function<bool()>& interrupted) {
  absl::MutexLock lock(&mu_);
  if (closed_) return errors::Cancelled("The session has been closed");
  const int64_t version = graph.version();
  if (!handle_.empty() && version == sent_version_) return handle_;
  GraphDef def;
  const int64_t mutation_version = graph.mutation_version();
  graph.ToGraphDef(&def);
  if (mutation_version != sent_mutation_version_) {
    TF_RETURN_IF_ERROR(CheckUnchanged(def));
  }
  GraphDef added;
  *added.mutable_versions() = def.versions();
  added.mutable_library()->Swap(def.mutable_library());
  std::vector<size_t> fingerprints;
  for (int i = static_cast<int>(sent_.size()); i < def.node_size(); ++i) {
    fingerprints.push_back(FingerprintOf(def.node(i)));
    added.add_node()->Swap(def.mutable_node(i));
  }
  TF_RETURN_IF_ERROR(handle_.empty() ? Create(&added, options, interrupted)
                                     : Extend(&added, options, interrupted));
  sent_.insert(sent_.end(), fingerprints.begin(), fingerprints.end());
  sent_version_ = version;
  sent_mutation_version_ = mutation_version;
  return handle_;
}

Status RemoteGraph::CheckUnchanged(const GraphDef& def) const {
  for (size_t i = 0; i < sent_.size(); ++i) {
    const NodeDef& node = def.node(static_cast<int>(i));
    if (FingerprintOf(node) == sent_[i]) continue;
    return errors::AttachNode(
        errors::FailedPrecondition(
            "Node '", node.name(), "' was changed after it was sent to ",
            target_, ": make a new session for the changed graph"),
        node.name());
  }
  return OkStatus();
}

Status RemoteGraph::Create(GraphDef* def, CallOptions options,
                           const std::function<bool()>& interrupted) {
  CreateSessionRequest request;
  request.mutable_graph_def()->Swap(def);
  *request.mutable_config() = config_;
  request.set_target(target_);
  options.wait_for_ready = true;
  const CallResult result = master_->CallAndWait(
      MasterMethod("CreateSession"), Encode(request), options, interrupted);
  TF_RETURN_IF_ERROR(result.status);
  CreateSessionResponse response;
  TF_RETURN_IF_ERROR(Decode(result.body, &response));
  handle_ = response.session_handle();
  master_version_ = response.graph_version();
  if (result.from_tensorwright) {
    CloseSessionRequest held;
    held.set_session_handle(handle_);
    hold_ =
        SessionHold::Start(master_, MasterMethod(kHoldSession), Encode(held));
  }
  return OkStatus();
}

Status RemoteGraph::Extend(GraphDef* def, const CallOptions& options,
                           const std::function<bool()>& interrupted) {
  if (def->node_size() == 0 && def->library().function_size() == 0) {
    return OkStatus();
  }
  ExtendSessionRequest request;
  request.set_session_handle(handle_);
  request.mutable_graph_def()->Swap(def);
  request.set_current_graph_version(master_version_);
  const CallResult result = master_->CallAndWait(
      MasterMethod("ExtendSession"), Encode(request), options, interrupted);
  TF_RETURN_IF_ERROR(result.status);
  ExtendSessionResponse response;
  TF_RETURN_IF_ERROR(Decode(result.body, &response));
  master_version_ = response.new_graph_version();
  return OkStatus();
}

void RemoteGraph::Close() {
  CloseSessionRequest request;
  {
    absl::MutexLock lock(&mu_);
    if (closed_) return;
    closed_ = true;
    if (handle_.empty()) return;
    if (hold_ != nullptr) hold_->Stop();
    request.set_session_handle(handle_);
  }
  CallOptions options;
  options.deadline = absl::Now() + kCloseTimeout;
  master_->CallAndWait(MasterMethod("CloseSession"), Encode(request), options);
}

}  // namespace tensorwright
