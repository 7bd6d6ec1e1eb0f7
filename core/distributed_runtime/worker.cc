// SPDX-License-Identifier: Apache-2.0
// Worker.
#include "core/distributed_runtime/worker.h"

#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "absl/time/clock.h"
#include "core/common_runtime/device_factory.h"
#include "core/distributed_runtime/protocol.h"
#include "core/distributed_runtime/wire.h"
#include "core/lib/core/catch_exceptions.h"
#include "core/lib/core/errors.h"
#include "core/protobuf/worker.pb.h"

namespace tensorwright {
namespace {

// Fields of the messages that are read and written here (wire.h).

constexpr size_t kMaxLoggedSteps = 64;
// The most names that the clusters of sessions may give one task.
constexpr size_t kMaxNames = 1000;

}  // namespace

Worker::Worker(const WorkerEnv* env)
    : env_(env),
      steps_(env),
      holds_(env->limits.lost, env->limits.unheld,
             [this](const std::string& handle) {
               EndSession(handle, errors::Cancelled(
                                      "The session's master is not there any"
                                      " more"));
             }) {
  absl::MutexLock lock(&mu_);
  const auto own = std::make_shared<Shared>();
  own->devices = env->devices;
  own->domains = {std::make_shared<FunctionDomain>(env, env->devices)};
  shared_[env->task] = own;
}

Worker::~Worker() {
  holds_.Stop();
  Stop(errors::Cancelled("The server was stopped"));
  // Resources may be running functions of sessions.
  for (Device* device : env_->devices->devices()) {
    device->resource_manager()->Clear();
  }
}

void Worker::Stop(const Status& status) {
  absl::flat_hash_map<std::string, std::shared_ptr<WorkerSession>> sessions;
  {
    absl::MutexLock lock(&mu_);
    stopped_.Update(status);
    sessions.swap(sessions_);
  }
  holds_.Stop();
  for (const auto& [handle, session] : sessions) session->Cancel(status);
}

void Worker::Handle(std::shared_ptr<ServerCall> call) {
  absl::string_view method = call->method();
  absl::ConsumePrefix(&method, kWorkerService);
  if (method != "GetStatus" && !call->from_tensorwright()) {
    return call->Reply(errors::FailedPrecondition(
        "The worker at ", env_->task,
        " is tensorwright's, the caller is not: all tasks of one cluster must"
        " run the same runtime (clients may run either)"));
  }
  // RecvTensor waits for nothing, and steps wait for it.
  if (method == "RecvTensor") return RecvTensor(std::move(call));
  if (method == kRecvTensors) return RecvTensors(std::move(call));
  if (method == kHoldSession) return HoldSession(std::move(call));
  if (method == "CleanupGraph") {
    const Answer answer = CleanupGraph(call->request());
    return call->Reply(answer.status(), answer.ok() ? *answer : absl::Cord());
  }
  ServerCall* const one = call.get();
  one->Schedule(env_->pool.get(), [this, call = std::move(call), method] {
    Answer answer = errors::Internal("No answer");
    const Status status =
        CatchExceptions([&] { answer = Dispatch(method, call.get()); },
                        [&] { return absl::StrCat("The worker's ", method); });
    if (!status.ok()) answer = status;
    if (!answer.ok()) return call->Reply(answer.status());
    call->Reply(OkStatus(), *std::move(answer));
  });
}

Worker::Answer Worker::Dispatch(absl::string_view method, ServerCall* call) {
  const absl::Cord& bytes = call->request();
  {
    absl::MutexLock lock(&mu_);
    TF_RETURN_IF_ERROR(stopped_);
  }
  if (method == "RunGraph") return RunGraph(call);
  if (method == "GetStatus") return GetStatus();
  if (method == "CreateWorkerSession") return CreateWorkerSession(bytes);
  if (method == "DeleteWorkerSession") return DeleteWorkerSession(bytes);
  if (method == "RegisterGraph") return RegisterGraph(bytes);
  if (method == "DeregisterGraph") return DeregisterGraph(bytes);
  if (method == "CleanupAll") return CleanupAll(bytes);
  if (method == "Logging") return Logging(bytes);
  return errors::Unimplemented("The worker has no method ", method);
}

StatusOr<std::shared_ptr<WorkerSession>> Worker::Find(
    const std::string& handle) {
  absl::MutexLock lock(&mu_);
  const auto it = sessions_.find(handle);
  if (it != sessions_.end()) return it->second;
  return errors::Aborted("Session '", handle, "' is not known at ", env_->task,
                         ": perhaps the task has restarted");
}

Worker::Answer Worker::GetStatus() {
  GetStatusResponse response;
  for (const Device* device : env_->devices->devices()) {
    *response.add_device_attributes() = device->attributes();
  }
  return Encode(response);
}

StatusOr<std::shared_ptr<Worker::Shared>> Worker::SharedAs(
    const std::string& task) {
  const auto it = shared_.find(task);
  if (it != shared_.end()) return it->second;
  if (shared_.size() >= kMaxNames) {
    return errors::ResourceExhausted("Clusters of sessions have given ",
                                     env_->task, " ", kMaxNames,
                                     " names, the most that it takes");
  }
  std::vector<std::unique_ptr<Device>> devices;
  TF_RETURN_IF_ERROR(
      DeviceFactory::AddDevices(env_->server_def.default_session_config(), task,
                                env_->threads.get(), &devices));
  const std::vector<Device*>& own = env_->devices->devices();
  if (devices.size() != own.size()) {
    return errors::Internal("The devices of ", env_->task, " have changed");
  }
  for (size_t i = 0; i < own.size(); ++i) devices[i]->ShareResources(*own[i]);
  const auto shared = std::make_shared<Shared>();
  shared->devices = std::make_shared<DeviceMgr>(std::move(devices));
  shared->domains = {std::make_shared<FunctionDomain>(env_, shared->devices)};
  shared_[task] = shared;
  return shared;
}

Worker::Answer Worker::CreateWorkerSession(const absl::Cord& bytes) {
  CreateWorkerSessionRequest request;
  TF_RETURN_IF_ERROR(Decode(bytes, &request));
  std::shared_ptr<const ClusterView> cluster = env_->cluster;
  if (request.server_def().cluster().job_size() > 0) {
    TF_ASSIGN_OR_RETURN(cluster,
                        ClusterView::New(request.server_def(), env_->security,
                                         env_->own_worker));
  }
  std::shared_ptr<FunctionDomain> domain;
  WorkerSession::NewDomain new_domain;
  if (!request.isolate_session_state()) {
    absl::MutexLock lock(&mu_);
    TF_ASSIGN_OR_RETURN(const std::shared_ptr<Shared> shared,
                        SharedAs(cluster->task()));
    domain = shared->domains.back();
    new_domain = [this, shared] {
      absl::MutexLock lock(&mu_);
      return shared->domains.emplace_back(
          std::make_shared<FunctionDomain>(env_, shared->devices));
    };
  }
  {
    absl::MutexLock lock(&mu_);
    TF_RETURN_IF_ERROR(stopped_);
    if (static_cast<int64_t>(sessions_.size()) >= env_->limits.sessions) {
      return errors::ResourceExhausted(env_->task, " has ", sessions_.size(),
                                       " sessions, the most that it takes");
    }
  }
  TF_ASSIGN_OR_RETURN(
      std::shared_ptr<WorkerSession> session,
      WorkerSession::New(env_, &steps_, std::move(cluster), std::move(domain),
                         std::move(new_domain)));
  {
    absl::MutexLock lock(&mu_);
    TF_RETURN_IF_ERROR(stopped_);
    const std::string& handle = request.session_handle();
    if (!sessions_.emplace(handle, std::move(session)).second) {
      return errors::AlreadyExists("Session '", handle, "' exists at ",
                                   env_->task);
    }
  }
  holds_.Add(request.session_handle());
  return Encode(CreateWorkerSessionResponse());
}

void Worker::HoldSession(std::shared_ptr<ServerCall> call) {
  DeleteWorkerSessionRequest request;
  const Status status = Decode(call->request(), &request);
  if (!status.ok()) return call->Reply(status);
  holds_.Hold(request.session_handle(), std::move(call));
}

void Worker::EndSession(const std::string& handle, const Status& status) {
  std::shared_ptr<WorkerSession> session;
  {
    absl::MutexLock lock(&mu_);
    const auto it = sessions_.find(handle);
    if (it == sessions_.end()) return;
    session = std::move(it->second);
    sessions_.erase(it);
  }
  session->Cancel(status);
}

Worker::Answer Worker::DeleteWorkerSession(const absl::Cord& bytes) {
  DeleteWorkerSessionRequest request;
  TF_RETURN_IF_ERROR(Decode(bytes, &request));
  EndSession(request.session_handle(),
             errors::Cancelled("The session was closed"));
  holds_.Forget(request.session_handle());
  return Encode(DeleteWorkerSessionResponse());
}

Worker::Answer Worker::RegisterGraph(const absl::Cord& bytes) {
  RegisterGraphRequest request;
  TF_RETURN_IF_ERROR(Decode(bytes, &request));
  TF_ASSIGN_OR_RETURN(const std::shared_ptr<WorkerSession> session,
                      Find(request.session_handle()));
  RegisterGraphResponse response;
  TF_ASSIGN_OR_RETURN(*response.mutable_graph_handle(),
                      session->RegisterGraph(request));
  return Encode(response);
}

Worker::Answer Worker::DeregisterGraph(const absl::Cord& bytes) {
  DeregisterGraphRequest request;
  TF_RETURN_IF_ERROR(Decode(bytes, &request));
  TF_ASSIGN_OR_RETURN(const std::shared_ptr<WorkerSession> session,
                      Find(request.session_handle()));
  TF_RETURN_IF_ERROR(session->DeregisterGraph(request.graph_handle()));
  return Encode(DeregisterGraphResponse());
}

Worker::Answer Worker::RunGraph(ServerCall* call) {
  RunGraphRequest request;
  GraphRun run;
  TF_RETURN_IF_ERROR(DecodeWithNamedTensors(
      call->request(), RunGraphRequest::kSendFieldNumber, &request, &run.send));
  for (const int64_t step : request.finished_step_id()) steps_.Cleanup(step);
  TF_ASSIGN_OR_RETURN(const std::shared_ptr<WorkerSession> session,
                      Find(request.session_handle()));
  run.graph_handle = request.graph_handle();
  run.step_id = request.step_id();
  run.recv_key.assign(request.recv_key().begin(), request.recv_key().end());
  run.is_partial = request.is_partial();
  run.is_last = request.is_last_partial_run();
  bool logging = false;
  {
    absl::MutexLock lock(&mu_);
    logging = logging_;
  }
  run.record_timeline = request.exec_opts().record_timeline() || logging;
  run.record_graphs = request.exec_opts().record_partition_graphs();
  run.deadline = call->deadline();
  GraphRunResult result;
  TF_RETURN_IF_ERROR(session->Run(
      run,
      [call](std::function<void()> cancel) {
        if (cancel == nullptr) return call->ForgetCancel();
        call->OnCancel(std::move(cancel));
      },
      &result));
  if (logging) NoteStepStats(run.step_id, result.step_stats);
  RunGraphResponse response;
  if (request.exec_opts().record_timeline()) {
    response.mutable_step_stats()->Swap(&result.step_stats);
  }
  for (GraphDef& graph : result.graphs) {
    response.add_partition_graph()->Swap(&graph);
  }
  absl::Cord body = Encode(response);
  for (const NamedTensor& sent : result.recv) {
    AppendNamedTensor(RunGraphResponse::kRecvFieldNumber, sent.name, sent.value,
                      &body);
  }
  return body;
}

Worker::Answer Worker::CleanupGraph(const absl::Cord& bytes) {
  CleanupGraphRequest request;
  TF_RETURN_IF_ERROR(Decode(bytes, &request));
  std::vector<std::shared_ptr<WorkerSession>> sessions;
  {
    absl::MutexLock lock(&mu_);
    for (const auto& [handle, session] : sessions_) sessions.push_back(session);
  }
  for (const auto& session : sessions)
    session->ForgetPartial(request.step_id());
  steps_.Cleanup(request.step_id());
  return Encode(CleanupGraphResponse());
}

Worker::Answer Worker::CleanupAll(const absl::Cord& bytes) {
  CleanupAllRequest request;
  TF_RETURN_IF_ERROR(Decode(bytes, &request));
  for (Device* device : env_->devices->devices()) {
    ResourceMgr* manager = device->resource_manager();
    if (request.container().empty()) {
      TF_RETURN_IF_ERROR(manager->Cleanup(manager->default_container()));
    }
    for (const std::string& container : request.container()) {
      TF_RETURN_IF_ERROR(manager->Cleanup(container));
    }
  }
  return Encode(CleanupAllResponse());
}

void Worker::NoteStepStats(int64_t step_id, const StepStats& stats) {
  absl::MutexLock lock(&mu_);
  LabeledStepStats& noted = logged_.emplace_back();
  noted.set_step_id(step_id);
  *noted.mutable_step_stats() = stats;
  if (logged_.size() > kMaxLoggedSteps) logged_.pop_front();
}

Worker::Answer Worker::Logging(const absl::Cord& bytes) {
  LoggingRequest request;
  TF_RETURN_IF_ERROR(Decode(bytes, &request));
  LoggingResponse response;
  absl::MutexLock lock(&mu_);
  if (request.enable_rpc_logging()) logging_ = true;
  if (request.disable_rpc_logging()) logging_ = false;
  if (request.clear()) logged_.clear();
  for (const LabeledStepStats& noted : logged_) {
    if (absl::c_linear_search(request.fetch_step_id(), noted.step_id())) {
      *response.add_step() = noted;
    }
  }
  return Encode(response);
}

}  // namespace tensorwright
