// SPDX-License-Identifier: Apache-2.0
// PartialRun and the graph that it runs.
#include "core/common_runtime/partial_run.h"

#include <algorithm>
#include <atomic>
#include <utility>

#include "absl/cleanup/cleanup.h"
#include "absl/strings/str_cat.h"
#include "core/common_runtime/compiled_graph.h"
#include "core/framework/attr_value.pb.h"
#include "core/lib/core/errors.h"

namespace tensorwright {
namespace {

constexpr char kFeed[] = "feed";
constexpr char kFetch[] = "fetch";

int IndexOf(const Node& endpoint) {
  return static_cast<int>(endpoint.FindAttr("index")->i());
}

std::string EdgeName(const char* stem, int index) {
  return absl::StrCat(stem, "_", index);
}

std::string Key(const DeviceInfo& client, const char* stem, int index) {
  return Rendezvous::CreateKey(client.name(), client.attributes().incarnation(),
                               client.name(), EdgeName(stem, index),
                               FrameAndIter(0, 0));
}

Rendezvous::ParsedKey Parsed(const std::string& key) {
  Rendezvous::ParsedKey parsed;
  Rendezvous::ParseKey(key, &parsed).IgnoreError();
  return parsed;
}

// Adds the _Recv or _Send in the place of an _Arg or _Retval.
Status AddTransfer(const DeviceInfo& client, const Node& endpoint, Graph* graph,
                   Node** transfer) {
  const bool is_feed = endpoint.IsArg();
  NodeDef def;
  def.set_op(is_feed ? "_Recv" : "_Send");
  def.set_name(graph->NewName(endpoint.name()));
  const auto attr = [&def](const std::string& name) -> AttrValue& {
    return (*def.mutable_attr())[name];
  };
  attr(is_feed ? "tensor_type" : "T") = *endpoint.FindAttr("T");
  attr("tensor_name")
      .set_s(EdgeName(is_feed ? kFeed : kFetch, IndexOf(endpoint)));
  attr("send_device").set_s(client.name());
  attr("recv_device").set_s(client.name());
  attr("send_device_incarnation")
      .set_i(static_cast<int64_t>(client.attributes().incarnation()));
  attr("client_terminated").set_b(true);
  Status status;
  *transfer = graph->AddNode(std::move(def), &status);
  TF_RETURN_IF_ERROR(status);
  (*transfer)->set_assigned_device_name(endpoint.assigned_device_name());
  return OkStatus();
}

}  // namespace

std::string FeedKey(const DeviceInfo& client, int feed) {
  return Key(client, kFeed, feed);
}

std::string FetchKey(const DeviceInfo& client, int fetch) {
  return Key(client, kFetch, fetch);
}

struct PartialRun::Received {
  std::vector<Tensor> values;
  std::atomic<size_t> left{0};
};

Status CutForPieces(const DeviceInfo& client, Graph* graph) {
  std::vector<Node*> endpoints;
  for (Node* node : graph->op_nodes()) {
    if (node->IsArg() || node->IsRetval()) endpoints.push_back(node);
  }
  for (Node* endpoint : endpoints) {
    Node* transfer = nullptr;
    TF_RETURN_IF_ERROR(AddTransfer(client, *endpoint, graph, &transfer));
    for (const Edge* e : endpoint->in_edges()) {
      graph->AddEdge(e->src(), e->src_output(), transfer, e->dst_input());
    }
    const EdgeSet out = endpoint->out_edges();
    const std::vector<const Edge*> readers(out.begin(), out.end());
    for (const Edge* e : readers) {
      Node* const dst = e->dst();
      const int output = e->src_output();
      const int input = e->dst_input();
      graph->RemoveEdge(e);
      graph->AddEdge(transfer, output, dst, input);
    }
    graph->RemoveNode(endpoint);
  }
  return OkStatus();
}

std::vector<std::vector<int>> FeedsNeeded(const Graph& graph, int num_fetches) {
  std::vector<std::vector<int>> needed(num_fetches);
  std::vector<bool> seen;
  for (const Node* fetch : graph.op_nodes()) {
    if (!fetch->IsRetval()) continue;
    seen.assign(graph.num_node_ids(), false);
    std::vector<const Node*> to_visit = {fetch};
    while (!to_visit.empty()) {
      const Node* node = to_visit.back();
      to_visit.pop_back();
      if (seen[node->id()]) continue;
      seen[node->id()] = true;
      if (node->IsArg()) needed[IndexOf(*fetch)].push_back(IndexOf(*node));
      for (const Edge* e : node->in_edges()) to_visit.push_back(e->src());
    }
  }
  return needed;
}

PartialRun::PartialRun(std::shared_ptr<const Plan> plan, int64_t step_id,
                       const Device* client)
    : plan_(std::move(plan)),
      client_(client),
      state_(plan_->inter_op_pool()),
      fed_(plan_->feeds().size()),
      fetched_(plan_->num_fetches()) {
  plan_->PrepareRunState(&state_);
  StepArgs args;
  args.id = step_id;
  args.interrupted = &hook_;
  plan_->BeginStep(&state_, args);
  args_.step = state_.step.get();
  args_.queue = state_.queue;
}

PartialRun::~PartialRun() {
  Cancel(errors::Cancelled("The partial run has been given up"));
}

void PartialRun::Start() {
  absl::MutexLock lock(&mu_);
  state_.queue->Expect(static_cast<int>(state_.executors.size()));
  // The pool's threads run it, or else those that come with a piece: nodes that
  // need no feed may take as long as they like.
  for (const auto& executor : state_.executors) {
    state_.queue->Push(
        [this, executor = executor.get()] { executor->Start(args_); });
  }
}

Status PartialRun::CheckPiece(absl::Span<const int> feeds,
                              absl::Span<const int> fetches) const
    ABSL_NO_THREAD_SAFETY_ANALYSIS {
  const auto name = [](const OutputRef& ref) {
    return absl::StrCat(ref.node->name(), ":", ref.index);
  };
  std::vector<bool> fed = fed_;
  for (const int feed : feeds) {
    if (fed[feed]) {
      return errors::InvalidArgument("The feed ", plan_->feeds()[feed].name,
                                     " has already been fed.");
    }
    fed[feed] = true;
  }
  for (const int fetch : fetches) {
    const std::string fetch_name = name(plan_->signature().fetches[fetch]);
    if (fetched_[fetch]) {
      return errors::InvalidArgument("The fetch ", fetch_name,
                                     " has already been fetched.");
    }
    for (const int feed : plan_->feeds_needed()[fetch]) {
      if (fed[feed]) continue;
      return errors::InvalidArgument(
          "Fetch ", fetch_name,
          " can't be computed from the feeds that have been fed so far: it"
          " needs ",
          plan_->feeds()[feed].name);
    }
  }
  return OkStatus();
}

std::shared_ptr<PartialRun::Received> PartialRun::Receive(
    absl::Span<const int> fetches) {
  const auto received = std::make_shared<Received>();
  received->values.resize(fetches.size());
  received->left = fetches.size();
  for (size_t i = 0; i < fetches.size(); ++i) {
    fetched_[fetches[i]] = true;
    state_.step->rendezvous()->RecvAsync(
        Parsed(FetchKey(client_->info(), fetches[i])), Rendezvous::Args(),
        [this, received, i](const Status& status, const Rendezvous::Args&,
                            const Rendezvous::Args&, const Tensor& value,
                            bool is_dead) {
          if (is_dead) {
            state_.step->Fail(errors::InvalidArgument(
                "A fetched tensor has no value: it is on a branch that was not"
                " taken"));
          } else if (status.ok()) {
            received->values[i] = value;
          }
          received->left.fetch_sub(1, std::memory_order_acq_rel);
          state_.queue->Wake();
        });
  }
  return received;
}

Status PartialRun::RunPiece(absl::Span<const int> feeds,
                            absl::Span<const Tensor> values,
                            absl::Span<const int> fetches,
                            std::vector<Tensor>* fetched,
                            const std::function<bool()>& interrupted) {
  absl::MutexLock lock(&mu_);
  Step* const step = state_.step.get();
  if (is_over_) {
    return errors::InvalidArgument(
        "Must run 'setup' before performing partial runs!");
  }
  TF_RETURN_IF_ERROR(CheckPiece(feeds, fetches));
  interrupted_ = &interrupted;
  const Step::PollScope polling(step);
  const auto forget = absl::MakeCleanup([this] { interrupted_ = nullptr; });
  const std::shared_ptr<Received> received = Receive(fetches);
  for (size_t i = 0; i < feeds.size(); ++i) {
    fed_[feeds[i]] = true;
    const Status sent =
        step->rendezvous()->Send(Parsed(FeedKey(client_->info(), feeds[i])),
                                 Rendezvous::Args(), values[i], false);
    if (!sent.ok()) step->Fail(sent);
  }
  const auto poll = [] { Step::Poll(); };
  const auto all = [](const std::vector<bool>& v) {
    return std::find(v.begin(), v.end(), false) == v.end();
  };
  state_.queue->WorkUntil(
      [&] { return received->left.load(std::memory_order_acquire) == 0; },
      poll);
  if (step->stopped() || (all(fed_) && all(fetched_))) {
    state_.queue->WorkUntil(nullptr, poll);
    is_over_ = true;
    step->End();
  }
  TF_RETURN_IF_ERROR(step->status());
  *fetched = std::move(received->values);
  return OkStatus();
}

bool PartialRun::is_over() const {
  absl::MutexLock lock(&mu_);
  return is_over_;
}

void PartialRun::Cancel(const Status& status) {
  // Outside the lock, since it ends a piece that waits.
  state_.step->Fail(status);
  absl::MutexLock lock(&mu_);
  if (is_over_) return;
  state_.queue->WorkUntil(nullptr, nullptr);
  is_over_ = true;
  state_.step->End();
}

}  // namespace tensorwright
