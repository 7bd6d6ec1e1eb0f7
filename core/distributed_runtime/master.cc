// SPDX-License-Identifier: Apache-2.0
// Master.
#include "core/distributed_runtime/master.h"

#include <utility>

#include "absl/cleanup/cleanup.h"
#include "absl/strings/strip.h"
#include "absl/time/clock.h"
#include "core/distributed_runtime/protocol.h"
#include "core/distributed_runtime/wire.h"
#include "core/lib/core/catch_exceptions.h"
#include "core/lib/core/errors.h"
#include "core/protobuf/worker.pb.h"

namespace tensorwright {
namespace {

// Fields of the messages that are read and written here (wire.h).

constexpr absl::Duration kResetTimeout = absl::Seconds(30);

std::function<void(std::function<void()>)> CancelBy(ServerCall* call) {
  return [call](std::function<void()> cancel) {
    if (cancel == nullptr) return call->ForgetCancel();
    call->OnCancel(std::move(cancel));
  };
}

bool HasMetadata(const RunMetadata& metadata) {
  return metadata.has_step_stats() || metadata.partition_graphs_size() > 0;
}

}  // namespace

Master::Master(const WorkerEnv* env)
    : env_(env),
      holds_(env->limits.lost, env->limits.idle,
             [this](const std::string& handle) {
               EndSession(handle, errors::Aborted(
                                      "The session was ended: its client has"
                                      " not been heard of"))
                   .IgnoreError();
             }) {}

Master::~Master() {
  holds_.Stop();
  Stop(errors::Cancelled("The server was stopped"));
}

void Master::Stop(const Status& status) {
  absl::flat_hash_map<std::string, std::shared_ptr<MasterSession>> sessions;
  {
    absl::MutexLock lock(&mu_);
    stopped_.Update(status);
    sessions.swap(sessions_);
  }
  holds_.Stop();
  for (const auto& [handle, session] : sessions) session->Close(status);
}

void Master::Handle(std::shared_ptr<ServerCall> call) {
  absl::string_view method = call->method();
  absl::ConsumePrefix(&method, kMasterService);
  // HoldSession waits for nothing.
  if (method == kHoldSession) return HoldSession(std::move(call));
  env_->pool->Schedule([this, call = std::move(call), method] {
    Answer answer = errors::Internal("No answer");
    const Status status =
        CatchExceptions([&] { answer = Dispatch(method, call.get()); },
                        [&] { return absl::StrCat("The master's ", method); });
    if (!status.ok()) answer = status;
    if (!answer.ok()) return call->Reply(answer.status());
    call->Reply(OkStatus(), *std::move(answer));
  });
}

Master::Answer Master::Dispatch(absl::string_view method, ServerCall* call) {
  const absl::Cord& bytes = call->request();
  {
    absl::MutexLock lock(&mu_);
    TF_RETURN_IF_ERROR(stopped_);
  }
  if (method == "RunStep") return RunStep(call);
  if (method == "RunCallable") return RunCallable(call);
  if (method == "CreateSession") return CreateSession(call);
  if (method == "ExtendSession") return ExtendSession(bytes);
  if (method == "PartialRunSetup") return PartialRunSetup(bytes);
  if (method == "CloseSession") return CloseSession(bytes);
  if (method == "ListDevices") return ListDevices(bytes);
  if (method == "Reset") return Reset(bytes);
  if (method == "MakeCallable") return MakeCallable(bytes);
  if (method == "ReleaseCallable") return ReleaseCallable(bytes);
  return errors::Unimplemented("The master has no method ", method);
}

StatusOr<std::shared_ptr<MasterSession>> Master::Find(
    const std::string& handle) {
  absl::MutexLock lock(&mu_);
  const auto it = sessions_.find(handle);
  if (it != sessions_.end()) return it->second;
  return errors::Aborted("Session ", handle,
                         " is not found. Possibly, this master has restarted,"
                         " or the session was reset.");
}

Master::Answer Master::CreateSession(ServerCall* call) {
  CreateSessionRequest request;
  TF_RETURN_IF_ERROR(Decode(call->request(), &request));
  {
    absl::MutexLock lock(&mu_);
    if (static_cast<int64_t>(sessions_.size()) >= env_->limits.sessions) {
      return errors::ResourceExhausted("The master has ", sessions_.size(),
                                       " sessions, the most that it takes");
    }
  }
  absl::Time deadline = call->deadline();
  const int64_t timeout_ms = request.config().operation_timeout_in_ms();
  if (timeout_ms > 0) {
    deadline = std::min(deadline, absl::Now() + absl::Milliseconds(timeout_ms));
  }
  TF_ASSIGN_OR_RETURN(const std::shared_ptr<MasterSession> session,
                      MasterSession::New(env_, request, deadline, call));
  CreateSessionResponse response;
  response.set_session_handle(session->handle());
  response.set_graph_version(session->graph_version());
  {
    absl::MutexLock lock(&mu_);
    TF_RETURN_IF_ERROR(stopped_);
    sessions_[session->handle()] = session;
  }
  holds_.Add(session->handle());
  return Encode(response);
}

Master::Answer Master::ExtendSession(const absl::Cord& bytes) {
  ExtendSessionRequest request;
  TF_RETURN_IF_ERROR(Decode(bytes, &request));
  TF_ASSIGN_OR_RETURN(const std::shared_ptr<MasterSession> session,
                      Find(request.session_handle()));
  TF_ASSIGN_OR_RETURN(const int64_t version, session->Extend(request));
  ExtendSessionResponse response;
  response.set_new_graph_version(version);
  return Encode(response);
}

Master::Answer Master::PartialRunSetup(const absl::Cord& bytes) {
  PartialRunSetupRequest request;
  TF_RETURN_IF_ERROR(Decode(bytes, &request));
  TF_ASSIGN_OR_RETURN(const std::shared_ptr<MasterSession> session,
                      Find(request.session_handle()));
  PartialRunSetupResponse response;
  TF_ASSIGN_OR_RETURN(*response.mutable_partial_run_handle(),
                      session->PartialRunSetup(request));
  return Encode(response);
}

Master::Answer Master::RunStep(ServerCall* call) {
  RunStepRequest request;
  StepRequest step;
  TF_RETURN_IF_ERROR(DecodeWithNamedTensors(call->request(),
                                            RunStepRequest::kFeedFieldNumber,
                                            &request, &step.feeds));
  TF_ASSIGN_OR_RETURN(const std::shared_ptr<MasterSession> session,
                      Find(request.session_handle()));
  step.fetches.assign(request.fetch().begin(), request.fetch().end());
  step.targets.assign(request.target().begin(), request.target().end());
  step.options = request.options();
  step.partial_run_handle = request.partial_run_handle();
  step.deadline = call->deadline();
  step.on_begin = CancelBy(call);
  StepResult result;
  holds_.Use(request.session_handle(), +1);
  const auto used =
      absl::MakeCleanup([&] { holds_.Use(request.session_handle(), -1); });
  TF_RETURN_IF_ERROR(session->Run(std::move(step), &result));
  RunStepResponse response;
  if (HasMetadata(result.metadata)) {
    response.mutable_metadata()->Swap(&result.metadata);
  }
  absl::Cord body = Encode(response);
  for (const NamedTensor& fetched : result.fetched) {
    AppendNamedTensor(RunStepResponse::kTensorFieldNumber, fetched.name,
                      fetched.value, &body);
  }
  return body;
}

Master::Answer Master::CloseSession(const absl::Cord& bytes) {
  CloseSessionRequest request;
  TF_RETURN_IF_ERROR(Decode(bytes, &request));
  TF_RETURN_IF_ERROR(Find(request.session_handle()).status());
  TF_RETURN_IF_ERROR(EndSession(request.session_handle(),
                                errors::Cancelled("The session was closed")));
  holds_.Forget(request.session_handle());
  return Encode(CloseSessionResponse());
}

Status Master::EndSession(const std::string& handle, const Status& status) {
  std::shared_ptr<MasterSession> session;
  {
    absl::MutexLock lock(&mu_);
    const auto it = sessions_.find(handle);
    if (it == sessions_.end()) return OkStatus();
    session = std::move(it->second);
    sessions_.erase(it);
  }
  session->Close(status);
  return OkStatus();
}

void Master::HoldSession(std::shared_ptr<ServerCall> call) {
  CloseSessionRequest request;
  const Status status = Decode(call->request(), &request);
  if (!status.ok()) return call->Reply(status);
  holds_.Hold(request.session_handle(), std::move(call));
}

Master::Answer Master::ListDevices(const absl::Cord& bytes) {
  ListDevicesRequest request;
  TF_RETURN_IF_ERROR(Decode(bytes, &request));
  TF_ASSIGN_OR_RETURN(const std::shared_ptr<MasterSession> session,
                      Find(request.session_handle()));
  ListDevicesResponse response;
  for (const DeviceInfo* info : session->devices().devices()) {
    *(WorkerEnv::TaskOf(info->name()) == session->task()
          ? response.add_local_device()
          : response.add_remote_device()) = info->attributes();
  }
  return Encode(response);
}

Master::Answer Master::Reset(const absl::Cord& bytes) {
  ResetRequest request;
  TF_RETURN_IF_ERROR(Decode(bytes, &request));
  // Sessions keep the resources that they use.
  absl::flat_hash_map<std::string, std::shared_ptr<MasterSession>> sessions;
  {
    absl::MutexLock lock(&mu_);
    sessions.swap(sessions_);
  }
  for (const auto& [handle, session] : sessions) {
    session->Close(errors::Aborted("The session was reset"));
    holds_.Forget(handle);
  }
  CleanupAllRequest cleanup;
  *cleanup.mutable_container() = request.container();
  CallOptions options;
  options.deadline = absl::Now() + kResetTimeout;
  Status status;
  for (const auto& [task, address] : env_->cluster->addresses()) {
    if (!MatchesDeviceFilters(request.device_filters(), task) &&
        task != env_->task) {
      continue;
    }
    const CallResult result = env_->cluster->WorkerOf(task)->CallAndWait(
        absl::StrCat(kWorkerService, "CleanupAll"), Encode(cleanup), options);
    status.Update(result.status);
  }
  TF_RETURN_IF_ERROR(status);
  return Encode(ResetResponse());
}

Master::Answer Master::MakeCallable(const absl::Cord& bytes) {
  MakeCallableRequest request;
  TF_RETURN_IF_ERROR(Decode(bytes, &request));
  TF_ASSIGN_OR_RETURN(const std::shared_ptr<MasterSession> session,
                      Find(request.session_handle()));
  TF_ASSIGN_OR_RETURN(const int64_t handle,
                      session->MakeCallable(request.options()));
  MakeCallableResponse response;
  response.set_handle(handle);
  return Encode(response);
}

Master::Answer Master::RunCallable(ServerCall* call) {
  RunCallableRequest request;
  std::vector<Tensor> feeds;
  TF_RETURN_IF_ERROR(DecodeWithTensors(
      call->request(), RunCallableRequest::kFeedFieldNumber, &request, &feeds));
  TF_ASSIGN_OR_RETURN(const std::shared_ptr<MasterSession> session,
                      Find(request.session_handle()));
  StepRequest step;
  step.deadline = call->deadline();
  step.on_begin = CancelBy(call);
  StepResult result;
  holds_.Use(request.session_handle(), +1);
  const auto used =
      absl::MakeCleanup([&] { holds_.Use(request.session_handle(), -1); });
  TF_RETURN_IF_ERROR(session->RunCallable(request.handle(), std::move(feeds),
                                          std::move(step), &result));
  RunCallableResponse response;
  if (HasMetadata(result.metadata)) {
    response.mutable_metadata()->Swap(&result.metadata);
  }
  absl::Cord body = Encode(response);
  for (const NamedTensor& fetched : result.fetched) {
    AppendTensor(RunCallableResponse::kFetchFieldNumber, fetched.value, &body);
  }
  return body;
}

Master::Answer Master::ReleaseCallable(const absl::Cord& bytes) {
  ReleaseCallableRequest request;
  TF_RETURN_IF_ERROR(Decode(bytes, &request));
  TF_ASSIGN_OR_RETURN(const std::shared_ptr<MasterSession> session,
                      Find(request.session_handle()));
  TF_RETURN_IF_ERROR(session->ReleaseCallable(request.handle()));
  return Encode(ReleaseCallableResponse());
}

}  // namespace tensorwright
