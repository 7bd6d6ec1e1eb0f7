// SPDX-License-Identifier: Apache-2.0
// Every method of a server's two services takes random, truncated and mutated
// messages, 20,000 in all, without a crash or a hang, keeps no memory for them,
// and serves sessions afterwards.  TW_FUZZ_CALLS=N makes N calls.
//
// The calls are made in this process, without a network.
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/synchronization/notification.h"
#include "absl/time/clock.h"
#include "core/common_runtime/device_factory.h"
#include "core/distributed_runtime/cluster_view.h"
#include "core/distributed_runtime/master.h"
#include "core/distributed_runtime/protocol.h"
#include "core/distributed_runtime/wire.h"
#include "core/distributed_runtime/worker.h"
#include "core/distributed_runtime/worker_env.h"
#include "core/framework/attr_value.pb.h"
#include "core/framework/tensor.h"
#include "core/protobuf/master.pb.h"
#include "core/protobuf/worker.pb.h"
#include "gtest/gtest.h"
#include "tools/fuzz/mutate.h"

namespace tensorwright {
namespace fuzz {
namespace {

constexpr int kCalls = 20000;
// Sessions that the fuzz makes stay until the base session is made anew.
constexpr int kCallsPerSession = 500;
constexpr absl::Duration kPatience = absl::Milliseconds(2);
constexpr absl::Duration kHang = absl::Seconds(60);
constexpr int64_t kMostGrowthBytes = int64_t{256} << 20;

int Calls() {
  const char* const asked = std::getenv("TW_FUZZ_CALLS");
  return asked == nullptr ? kCalls : std::atoi(asked);
}

int64_t ResidentBytes() {
  int64_t total = 0, resident = 0;
  std::ifstream("/proc/self/statm") >> total >> resident;
  return resident * sysconf(_SC_PAGESIZE);
}

// A server without its network.
class Task {
 public:
  Task() {
    ServerDef def;
    JobDef* const job = def.mutable_cluster()->add_job();
    job->set_name("local");
    (*job->mutable_tasks())[0] = "localhost:1";
    def.set_job_name("local");
    env_.server_def = def;
    env_.task = TaskName("local", 0, 0);
    env_.limits.sessions = 200;
    env_.limits.unheld = absl::Milliseconds(100);
    env_.limits.graph_nodes = 10000;
    env_.limits.lost = absl::ZeroDuration();
    TF_CHECK_OK(SessionThreads::ForConfig(ConfigProto(), &env_.threads));
    std::vector<std::unique_ptr<Device>> devices;
    TF_CHECK_OK(DeviceFactory::AddDevices(ConfigProto(), env_.task,
                                          env_.threads.get(), &devices));
    env_.devices = std::make_shared<DeviceMgr>(std::move(devices));
    env_.pool = std::make_unique<ElasticPool>(/*max_threads=*/64);
    worker_ = std::make_unique<Worker>(&env_);
    env_.own_worker = NewInProcessTransport(worker_.get());
    env_.cluster = *ClusterView::New(def, ClusterSecurity(), env_.own_worker);
    master_ = std::make_unique<Master>(&env_);
    own_master_ = NewInProcessTransport(master_.get());
  }
  ~Task() {
    master_->Stop(errors::Cancelled("The end"));
    worker_->Stop(errors::Cancelled("The end"));
    env_.pool->Drain();
    master_.reset();
    env_.pool->Drain();
    worker_.reset();
  }

  Transport* Of(const std::string& method) {
    return absl::StartsWith(method, kMasterService) ? own_master_.get()
                                                    : env_.own_worker.get();
  }
  std::string device() const { return env_.devices->client_device()->name(); }
  int64_t incarnation() const {
    return env_.devices->client_device()->attributes().incarnation();
  }

 private:
  WorkerEnv env_;
  std::unique_ptr<Worker> worker_;
  std::unique_ptr<Master> master_;
  std::shared_ptr<Transport> own_master_;
};

NodeDef* AddNode(GraphDef* graph, const std::string& name,
                 const std::string& op, const std::vector<std::string>& inputs,
                 DataType dtype, const std::string& attr = "T") {
  NodeDef* const node = graph->add_node();
  node->set_name(name);
  node->set_op(op);
  for (const std::string& input : inputs) node->add_input(input);
  (*node->mutable_attr())[attr].set_type(dtype);
  return node;
}

// y = 2 x, a branch on it, and its variable.
GraphDef SmallGraph(const std::string& prefix) {
  GraphDef graph;
  const std::string x = prefix + "x", two = prefix + "two", y = prefix + "y";
  AddNode(&graph, x, "Placeholder", {}, DT_FLOAT, "dtype");
  Tensor value(DT_FLOAT, TensorShape({}));
  *static_cast<float*>(value.data()) = 2;
  NodeDef* const constant =
      AddNode(&graph, two, "Const", {}, DT_FLOAT, "dtype");
  value.AsProtoTensorContent(
      (*constant->mutable_attr())["value"].mutable_tensor());
  AddNode(&graph, y, "Mul", {x, two}, DT_FLOAT);
  AddNode(&graph, prefix + "pred", "Placeholder", {}, DT_BOOL, "dtype");
  AddNode(&graph, prefix + "switch", "Switch", {y, prefix + "pred"}, DT_FLOAT);
  NodeDef* const merge =
      AddNode(&graph, prefix + "merge", "Merge",
              {prefix + "switch", prefix + "switch:1"}, DT_FLOAT);
  (*merge->mutable_attr())["N"].set_i(2);
  NodeDef* const v =
      AddNode(&graph, prefix + "v", "VariableV2", {}, DT_FLOAT, "dtype");
  (*v->mutable_attr())["shape"].mutable_shape();
  AddNode(&graph, prefix + "assign", "Assign", {prefix + "v", two}, DT_FLOAT);
  graph.mutable_versions()->set_producer(24);
  return graph;
}

class RpcFuzzTest : public testing::Test {
 protected:
  // Ends a call that does not end by itself; false if that does not help.
  bool Call(const std::string& method, const std::string& message,
            CallResult* result) {
    const auto over = std::make_shared<absl::Notification>();
    const auto got = std::make_shared<CallResult>();
    const std::shared_ptr<ClientCall> call = task_.Of(method)->Call(
        method, absl::Cord(message), CallOptions(), [over, got](CallResult r) {
          *got = std::move(r);
          over->Notify();
        });
    if (!over->WaitForNotificationWithTimeout(kPatience)) {
      call->Cancel();
      if (!over->WaitForNotificationWithTimeout(kHang)) return false;
    }
    *result = *got;
    return true;
  }

  template <typename Request>
  CallResult Ask(const std::string& method, const Request& request) {
    CallOptions options;
    options.deadline = absl::Now() + kHang;
    return task_.Of(method)->CallAndWait(method, Encode(request), options);
  }

  // A session with a graph, and messages that make sense to it.
  void MakeSession() {
    CreateSessionRequest create;
    *create.mutable_graph_def() = SmallGraph("");
    const std::string master = kMasterService;
    TF_CHECK_OK(Ask(master + "Reset", ResetRequest()).status);
    const CallResult made = Ask(master + "CreateSession", create);
    TF_CHECK_OK(made.status);
    CreateSessionResponse response;
    TF_CHECK_OK(Decode(made.body, &response));
    handle_ = response.session_handle();
    seeds_.clear();
    AddMasterSeeds(create, response.graph_version());
    AddWorkerSeeds();
  }

  template <typename Request>
  void Add(const char* service, const char* method, const Request& request) {
    seeds_[absl::StrCat(service, method)].push_back(
        request.SerializeAsString());
  }

  void AddMasterSeeds(const CreateSessionRequest& create, int64_t version) {
    Add(kMasterService, "CreateSession", create);
    CreateSessionRequest with_cluster = create;
    with_cluster.set_target("grpc://localhost:1");
    JobDef* const job =
        with_cluster.mutable_config()->mutable_cluster_def()->add_job();
    job->set_name("worker");
    (*job->mutable_tasks())[0] = "localhost:1";
    with_cluster.mutable_config()->set_operation_timeout_in_ms(10);
    Add(kMasterService, "CreateSession", with_cluster);
    ExtendSessionRequest extend;
    extend.set_session_handle(handle_);
    *extend.mutable_graph_def() = SmallGraph("more_");
    extend.set_current_graph_version(version);
    Add(kMasterService, "ExtendSession", extend);
    RunStepRequest run;
    run.set_session_handle(handle_);
    NamedTensorProto* const feed = run.add_feed();
    feed->set_name("x:0");
    Tensor ones(DT_FLOAT, TensorShape({600}));
    std::fill_n(static_cast<float*>(ones.data()), 600, 1.0f);
    ones.AsProtoTensorContent(feed->mutable_tensor());
    run.add_fetch("y:0");
    run.add_target("assign");
    run.mutable_options()->set_trace_level(RunOptions::FULL_TRACE);
    Add(kMasterService, "RunStep", run);
    PartialRunSetupRequest setup;
    setup.set_session_handle(handle_);
    setup.add_feed("x:0");
    setup.add_fetch("y:0");
    Add(kMasterService, "PartialRunSetup", setup);
    CallableOptions callable;
    callable.add_feed("x:0");
    callable.add_fetch("y:0");
    MakeCallableRequest make;
    make.set_session_handle(handle_);
    *make.mutable_options() = callable;
    Add(kMasterService, "MakeCallable", make);
    RunCallableRequest call;
    call.set_session_handle(handle_);
    call.set_handle(1);
    *call.add_feed() = feed->tensor();
    Add(kMasterService, "RunCallable", call);
    ReleaseCallableRequest release;
    release.set_session_handle(handle_);
    release.set_handle(1);
    Add(kMasterService, "ReleaseCallable", release);
    CloseSessionRequest close;
    close.set_session_handle(handle_);
    Add(kMasterService, kHoldSession, close);
    ListDevicesRequest list;
    list.set_session_handle(handle_);
    Add(kMasterService, "ListDevices", list);
    close.set_session_handle("another");
    Add(kMasterService, "CloseSession", close);
    ResetRequest reset;
    reset.add_container("another");
    reset.add_device_filters("/job:another");
    Add(kMasterService, "Reset", reset);
    Add(kMasterService, "NoSuchMethod", reset);
  }

  void AddWorkerSeeds() {
    Add(kWorkerService, "GetStatus", GetStatusRequest());
    CreateWorkerSessionRequest create;
    create.set_session_handle("fuzzed");
    Add(kWorkerService, "CreateWorkerSession", create);
    ServerDef* const def = create.mutable_server_def();
    JobDef* const job = def->mutable_cluster()->add_job();
    job->set_name("worker");
    (*job->mutable_tasks())[3] = "localhost:1";
    def->set_job_name("worker");
    def->set_task_index(3);
    create.set_isolate_session_state(true);
    Add(kWorkerService, "CreateWorkerSession", create);
    DeleteWorkerSessionRequest gone;
    gone.set_session_handle("fuzzed");
    Add(kWorkerService, "DeleteWorkerSession", gone);
    Add(kWorkerService, kHoldSession, gone);
    RegisterGraphRequest graph;
    graph.set_session_handle(handle_);
    *graph.mutable_graph_def() = SmallGraph("");
    for (NodeDef& node : *graph.mutable_graph_def()->mutable_node()) {
      node.set_device(task_.device());
    }
    Add(kWorkerService, "RegisterGraph", graph);
    DeregisterGraphRequest forget;
    forget.set_session_handle(handle_);
    forget.set_graph_handle("graph_7");
    Add(kWorkerService, "DeregisterGraph", forget);
    RunGraphRequest run;
    run.set_session_handle(handle_);
    run.set_graph_handle("graph_0");
    run.set_step_id(7);
    Add(kWorkerService, "RunGraph", run);
    const std::string key = absl::StrCat(
        task_.device(), ";",
        absl::Hex(static_cast<uint64_t>(task_.incarnation()), absl::kZeroPad16),
        ";", task_.device(), ";edge_1;0:0");
    run.add_recv_key(key);
    run.set_is_partial(true);
    NamedTensorProto* const send = run.add_send();
    send->set_name(key);
    Tensor(DT_FLOAT, TensorShape({3}))
        .AsProtoTensorContent(send->mutable_tensor());
    Add(kWorkerService, "RunGraph", run);
    CleanupGraphRequest cleanup;
    cleanup.set_step_id(7);
    Add(kWorkerService, "CleanupGraph", cleanup);
    CleanupAllRequest all;
    all.add_container("another");
    Add(kWorkerService, "CleanupAll", all);
    RecvTensorRequest receive;
    receive.set_step_id(8);
    receive.set_rendezvous_key(key);
    Add(kWorkerService, "RecvTensor", receive);
    RecvTensorsRequest several;
    several.set_step_id(7);
    several.add_rendezvous_key(key);
    several.add_rendezvous_key(key);
    Add(kWorkerService, kRecvTensors, several);
    LoggingRequest logging;
    logging.set_enable_rpc_logging(true);
    logging.add_fetch_step_id(7);
    Add(kWorkerService, "Logging", logging);
    Add(kWorkerService, "Tracing", TracingRequest());
  }

  bool SessionWorks() {
    ListDevicesRequest list;
    list.set_session_handle(handle_);
    return Ask(absl::StrCat(kMasterService, "ListDevices"), list).status.ok();
  }

  Task task_;
  std::string handle_;
  std::map<std::string, std::vector<std::string>> seeds_;
};

// SplitMix64, as in mutate.cc.
class Draws {
 public:
  uint64_t Next() {
    uint64_t z = (state_ += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }
  size_t Below(size_t n) { return Next() % n; }

 private:
  uint64_t state_ = 1;
};

std::string RandomBytes(Draws* draws) {
  std::string bytes(draws->Below(200), '\0');
  for (char& byte : bytes) byte = static_cast<char>(draws->Next());
  return bytes;
}

TEST_F(RpcFuzzTest, HandlersLiveThroughAnyMessage) {
  MakeSession();
  Draws draws;
  std::map<std::string, int> ended;
  int64_t before = 0;
  const int calls = Calls();
  for (int i = 0; i < calls; ++i) {
    if (i % kCallsPerSession == 0 || (i % 50 == 0 && !SessionWorks())) {
      MakeSession();
    }
    // The first tenth takes memory that stays: caches, threads.
    if (i == calls / 10) before = ResidentBytes();
    auto method = seeds_.begin();
    std::advance(method, draws.Below(seeds_.size()));
    const std::vector<std::string>& known = method->second;
    std::string message = known[draws.Below(known.size())];
    switch (draws.Below(6)) {
      case 0:
        message = RandomBytes(&draws);
        break;
      case 1:
        message.resize(draws.Below(message.size() + 1));
        break;
      case 2:
        break;
      default:
        message = Mutator(&known, draws.Next()).Next();
    }
    CallResult result;
    ASSERT_TRUE(Call(method->first, message, &result))
        << method->first << " hangs: call " << i;
    ++ended[absl::StrCat(result.status.code())];
  }
  MakeSession();
  EXPECT_TRUE(SessionWorks());
  EXPECT_LT(ResidentBytes() - before, kMostGrowthBytes);
  // They got past the parser, and some succeeded.
  EXPECT_GT(ended["0"], calls / 20);
  for (const auto& [code, count] : ended) {
    std::cout << "code " << code << ": " << count << "\n";
  }
  std::cout << calls << " calls, " << seeds_.size() << " methods, "
            << before / 1000000 << " MB before, " << ResidentBytes() / 1000000
            << " MB after\n";
}

}  // namespace
}  // namespace fuzz
}  // namespace tensorwright
