// SPDX-License-Identifier: Apache-2.0
// Steps of a MasterSession: whole, in pieces, and of callables.
#include "core/distributed_runtime/master_session_steps.h"

#include <algorithm>
#include <random>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "core/distributed_runtime/protocol.h"
#include "core/distributed_runtime/step_calls.h"
#include "core/lib/core/errors.h"
#include "core/protobuf/worker.pb.h"

namespace tensorwright {
namespace {

bool AllOf(const std::vector<bool>& values) {
  return !absl::c_linear_search(values, false);
}

// The request for the part of one task: `run`, with the feeds and fetches of
// this part.
absl::Cord RequestOf(const ClusterPlan& plan, const ClusterPartition& part,
                     const std::vector<std::pair<int, Tensor>>& feeds,
                     const std::vector<int>& fetches, RunGraphRequest* run) {
  run->set_graph_handle(part.handle);
  run->clear_recv_key();
  for (const int fetch : fetches) {
    if (absl::c_linear_search(part.fetches, fetch)) {
      run->add_recv_key(plan.fetch_keys[fetch]);
    }
  }
  absl::Cord bytes = Encode(*run);
  for (const auto& [feed, value] : feeds) {
    if (!absl::c_linear_search(part.feeds, feed)) continue;
    AppendNamedTensor(RunGraphRequest::kSendFieldNumber, plan.feed_keys[feed],
                      value, &bytes);
  }
  return bytes;
}

// Reads the tasks' answers, from a call for each partition of the plan.
Status ReadResults(const ClusterPlan& plan, const std::vector<int>& fetches,
                   const StepCalls& calls, StepResult* result) {
  absl::flat_hash_map<std::string, int> place_of_key;
  for (size_t i = 0; i < fetches.size(); ++i) {
    place_of_key[plan.fetch_keys[fetches[i]]] = static_cast<int>(i);
  }
  result->fetched.resize(fetches.size());
  for (size_t i = 0; i < plan.partitions.size(); ++i) {
    RunGraphResponse response;
    std::vector<NamedTensor> received;
    TF_RETURN_IF_ERROR(DecodeWithNamedTensors(
        calls.result(i).body, RunGraphResponse::kRecvFieldNumber, &response,
        &received));
    for (NamedTensor& named : received) {
      const auto it = place_of_key.find(named.name);
      if (it == place_of_key.end()) continue;
      result->fetched[it->second].value = std::move(named.value);
    }
    result->metadata.mutable_step_stats()->MergeFrom(response.step_stats());
    for (GraphDef& graph : *response.mutable_partition_graph()) {
      result->metadata.add_partition_graphs()->Swap(&graph);
    }
  }
  return OkStatus();
}

Status CheckFeedType(const NamedTensor& feed, DataType wanted) {
  if (feed.value.dtype() == wanted) return OkStatus();
  return errors::InvalidArgument("Feed ", feed.name, ": must be ",
                                 DataTypeString(wanted), ", got ",
                                 DataTypeString(feed.value.dtype()));
}

// The position of a name in a list, which may have it without its ":0"; or -1.
int PlaceOf(const std::vector<std::string>& names, const std::string& name) {
  const auto it = absl::c_find_if(names, [&](const std::string& known) {
    return known == name || known == absl::StrCat(name, ":0");
  });
  return it == names.end() ? -1 : static_cast<int>(it - names.begin());
}

// Marks as fed what a piece of a partial run feeds.
Status TakeFeeds(const ClusterPlan& plan, const std::vector<NamedTensor>& named,
                 std::vector<bool>* fed,
                 std::vector<std::pair<int, Tensor>>* feeds) {
  for (const NamedTensor& feed : named) {
    const int i = PlaceOf(plan.signature.feeds, feed.name);
    if (i < 0) {
      return errors::InvalidArgument("The feed ", feed.name,
                                     " was not set up for the partial run.");
    }
    if ((*fed)[i]) {
      return errors::InvalidArgument("The feed ", feed.name,
                                     " has already been fed.");
    }
    TF_RETURN_IF_ERROR(CheckFeedType(feed, plan.feed_types[i]));
    (*fed)[i] = true;
    feeds->emplace_back(i, feed.value);
  }
  return OkStatus();
}

// Marks as fetched what a piece of a partial run fetches.
Status TakeFetches(const ClusterPlan& plan,
                   const std::vector<std::string>& names,
                   const std::vector<bool>& fed, std::vector<bool>* fetched,
                   std::vector<int>* fetches) {
  for (const std::string& name : names) {
    const int i = PlaceOf(plan.signature.fetches, name);
    if (i < 0) {
      return errors::InvalidArgument("The fetch ", name,
                                     " was not set up for the partial run.");
    }
    if ((*fetched)[i]) {
      return errors::InvalidArgument("The fetch ", name,
                                     " has already been fetched.");
    }
    for (const int feed : plan.feeds_needed[i]) {
      if (fed[feed]) continue;
      return errors::InvalidArgument(
          "Fetch ", name,
          " can't be computed from the feeds that have been fed so far: it"
          " needs ",
          plan.signature.feeds[feed]);
    }
    (*fetched)[i] = true;
    fetches->push_back(i);
  }
  return OkStatus();
}

}  // namespace

namespace master {

std::string WorkerMethod(const char* name) {
  return absl::StrCat(kWorkerService, name);
}

int64_t RandomId() {
  static absl::Mutex mu(absl::kConstInit);
  absl::MutexLock lock(&mu);
  static std::mt19937_64* const random =
      new std::mt19937_64(std::random_device()());
  return static_cast<int64_t>((*random)() >> 8) | 1;
}

}  // namespace master

bool MasterSession::IsOver(const Partial& partial) {
  return AllOf(partial.fed) && AllOf(partial.fetched);
}

Status MasterSession::RunPlan(const Registered& registered, Partial* partial,
                              const std::vector<std::pair<int, Tensor>>& feeds,
                              const std::vector<int>& fetches,
                              const StepRequest& request, StepResult* result) {
  const ClusterPlan& plan = *registered.plan;
  const bool is_last = partial == nullptr || IsOver(*partial);
  RunGraphRequest run;
  run.set_session_handle(handle_);
  run.set_create_worker_session_called(true);
  run.set_step_id(partial == nullptr ? master::RandomId() : partial->step_id);
  run.set_is_partial(partial != nullptr);
  run.set_is_last_partial_run(partial != nullptr && is_last);
  run.mutable_exec_opts()->set_record_timeline(request.options.trace_level() !=
                                               RunOptions::NO_TRACE);
  run.mutable_exec_opts()->set_record_partition_graphs(
      request.options.output_partition_graphs());

  const auto calls = std::make_shared<StepCalls>();
  {
    absl::MutexLock lock(&mu_);
    TF_RETURN_IF_ERROR(closed_);
    active_.insert(calls);
  }
  if (request.on_begin) {
    request.on_begin([calls] {
      calls->Fail(errors::Cancelled("The step was cancelled by the client"));
    });
  }
  CallOptions options;
  options.deadline = request.deadline;
  for (const ClusterPartition& part : plan.partitions) {
    run.clear_finished_step_id();
    {
      absl::MutexLock lock(&mu_);
      for (const int64_t step : std::exchange(finished_[part.task], {})) {
        run.add_finished_step_id(step);
      }
    }
    calls->Start(workers_[part.task].get(), master::WorkerMethod("RunGraph"),
                 RequestOf(plan, part, feeds, fetches, &run), options,
                 /*lends_thread=*/true);
  }
  const Status status = calls->Wait(request.deadline);
  if (request.on_begin) request.on_begin(nullptr);
  {
    absl::MutexLock lock(&mu_);
    active_.erase(calls);
  }
  if (status.ok() && partial == nullptr) {
    CleanupLater(plan, run.step_id());
  } else if (is_last || !status.ok()) {
    Cleanup(plan, run.step_id());
  }
  TF_RETURN_IF_ERROR(status);
  if (run.exec_opts().record_timeline()) {
    DeviceStepStats* const row =
        result->metadata.mutable_step_stats()->add_dev_stats();
    row->set_device(absl::StrCat(task(), kMasterTimeline));
    for (size_t i = 0; i < plan.partitions.size(); ++i) {
      AddCallStats(absl::StrCat("RunGraph of ", plan.partitions[i].task),
                   calls->begun(i), calls->ended(i), row);
    }
  }
  return ReadResults(plan, fetches, *calls, result);
}

Status MasterSession::Run(StepRequest request, StepResult* result) {
  const int64_t timeout_ms = request.options.timeout_in_ms() > 0
                                 ? request.options.timeout_in_ms()
                                 : config_.operation_timeout_in_ms();
  if (timeout_ms > 0) {
    request.deadline = std::min(request.deadline,
                                absl::Now() + absl::Milliseconds(timeout_ms));
  }
  if (!request.partial_run_handle.empty()) return RunPartial(request, result);
  RunSignature signature{{}, request.fetches, request.targets};
  for (const NamedTensor& feed : request.feeds) {
    signature.feeds.push_back(feed.name);
  }
  TF_ASSIGN_OR_RETURN(const std::shared_ptr<Registered> plan,
                      GetPlan(signature, request.deadline));
  std::vector<std::pair<int, Tensor>> feeds;
  for (size_t i = 0; i < request.feeds.size(); ++i) {
    TF_RETURN_IF_ERROR(
        CheckFeedType(request.feeds[i], plan->plan->feed_types[i]));
    feeds.emplace_back(static_cast<int>(i), request.feeds[i].value);
  }
  std::vector<int> fetches(request.fetches.size());
  for (size_t i = 0; i < fetches.size(); ++i) fetches[i] = static_cast<int>(i);
  TF_RETURN_IF_ERROR(RunPlan(*plan, nullptr, feeds, fetches, request, result));
  for (size_t i = 0; i < fetches.size(); ++i) {
    result->fetched[i].name = request.fetches[i];
  }
  return OkStatus();
}

StatusOr<std::string> MasterSession::PartialRunSetup(
    const PartialRunSetupRequest& request) {
  RunSignature signature;
  signature.feeds.assign(request.feed().begin(), request.feed().end());
  signature.fetches.assign(request.fetch().begin(), request.fetch().end());
  signature.targets.assign(request.target().begin(), request.target().end());
  const auto partial = std::make_shared<Partial>();
  TF_ASSIGN_OR_RETURN(partial->plan,
                      GetPlan(signature, absl::InfiniteFuture()));
  partial->step_id = master::RandomId();
  {
    absl::MutexLock lock(&partial->mu);
    partial->fed.resize(signature.feeds.size());
    partial->fetched.resize(signature.fetches.size());
  }
  std::string handle = absl::StrCat("partial_", absl::Hex(partial->step_id));
  absl::MutexLock lock(&mu_);
  TF_RETURN_IF_ERROR(closed_);
  partial_[handle] = partial;
  return handle;
}

Status MasterSession::RunPartial(const StepRequest& request,
                                 StepResult* result) {
  std::shared_ptr<Partial> partial;
  {
    absl::MutexLock lock(&mu_);
    const auto it = partial_.find(request.partial_run_handle);
    if (it == partial_.end()) {
      return errors::InvalidArgument(
          "Must run 'setup' before performing partial runs!");
    }
    partial = it->second;
  }
  absl::MutexLock lock(&partial->mu);
  const ClusterPlan& plan = *partial->plan->plan;
  std::vector<bool> fed = partial->fed, fetched = partial->fetched;
  std::vector<std::pair<int, Tensor>> feeds;
  std::vector<int> fetches;
  TF_RETURN_IF_ERROR(TakeFeeds(plan, request.feeds, &fed, &feeds));
  TF_RETURN_IF_ERROR(
      TakeFetches(plan, request.fetches, fed, &fetched, &fetches));
  partial->fed = std::move(fed);
  partial->fetched = std::move(fetched);
  const Status status =
      RunPlan(*partial->plan, partial.get(), feeds, fetches, request, result);
  if (!status.ok() || IsOver(*partial)) {
    absl::MutexLock own(&mu_);
    partial_.erase(request.partial_run_handle);
  }
  TF_RETURN_IF_ERROR(status);
  for (size_t i = 0; i < fetches.size(); ++i) {
    result->fetched[i].name = request.fetches[i];
  }
  return OkStatus();
}

StatusOr<int64_t> MasterSession::MakeCallable(const CallableOptions& options) {
  if (options.tensor_connection_size() > 0) {
    return errors::Unimplemented(
        "CallableOptions: tensor_connection is not supported");
  }
  RunSignature signature;
  signature.feeds.assign(options.feed().begin(), options.feed().end());
  signature.fetches.assign(options.fetch().begin(), options.fetch().end());
  signature.targets.assign(options.target().begin(), options.target().end());
  TF_RETURN_IF_ERROR(GetPlan(signature, absl::InfiniteFuture()).status());
  absl::MutexLock lock(&mu_);
  TF_RETURN_IF_ERROR(closed_);
  const int64_t handle = next_callable_++;
  callables_[handle] = options;
  return handle;
}

Status MasterSession::RunCallable(int64_t handle, std::vector<Tensor> feeds,
                                  StepRequest request, StepResult* result) {
  {
    absl::MutexLock lock(&mu_);
    const auto it = callables_.find(handle);
    if (it == callables_.end()) {
      return errors::InvalidArgument("There is no callable ", handle);
    }
    const CallableOptions& options = it->second;
    if (static_cast<int>(feeds.size()) != options.feed_size()) {
      return errors::InvalidArgument("Expected ", options.feed_size(),
                                     " feed tensors, but got ", feeds.size());
    }
    for (size_t i = 0; i < feeds.size(); ++i) {
      request.feeds.push_back(
          {options.feed(static_cast<int>(i)), std::move(feeds[i])});
    }
    request.fetches.assign(options.fetch().begin(), options.fetch().end());
    request.targets.assign(options.target().begin(), options.target().end());
    request.options = options.run_options();
  }
  return Run(std::move(request), result);
}

Status MasterSession::ReleaseCallable(int64_t handle) {
  absl::MutexLock lock(&mu_);
  if (callables_.erase(handle) > 0) return OkStatus();
  return errors::InvalidArgument("There is no callable ", handle);
}

}  // namespace tensorwright
