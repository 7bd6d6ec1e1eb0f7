// SPDX-License-Identifier: Apache-2.0
#include "core/distributed_runtime/worker_session.h"

#include <memory>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "core/common_runtime/device_mgr.h"
#include "core/common_runtime/session_threads.h"
#include "core/distributed_runtime/cluster_view.h"
#include "core/distributed_runtime/step_rendezvous.h"
#include "core/lib/core/errors.h"
#include "google/protobuf/text_format.h"
#include "gtest/gtest.h"

namespace tensorwright {
namespace {

constexpr char kDevice[] = "/job:local/replica:0/task:0/device:CPU:0";

constexpr char kConst[] = R"(
    node { name: "c" op: "Const" device: "%device%"
           attr { key: "dtype" value { type: DT_FLOAT } }
           attr { key: "value" value { tensor {
             dtype: DT_FLOAT tensor_shape {} float_val: 2 } } } })";
constexpr char kTransfer[] = R"(
      attr { key: "tensor_name" value { s: "a" } }
      attr { key: "send_device" value { s: "%device%" } }
      attr { key: "send_device_incarnation" value { i: 1 } }
      attr { key: "recv_device" value { s: "%device%" } }
      attr { key: "client_terminated" value { b: false } } })";

// A session of a task that no master has asked yet, with devices of its own.
class WorkerSessionTest : public ::testing::Test {
 protected:
  WorkerSessionTest() {
    auto* job = env_.server_def.mutable_cluster()->add_job();
    job->set_name("local");
    (*job->mutable_tasks())[0] = "localhost:0";
    env_.server_def.set_job_name("local");
    env_.task = "/job:local/replica:0/task:0";
    TF_CHECK_OK(SessionThreads::ForConfig({}, &env_.threads));
    env_.cluster = *ClusterView::New(env_.server_def, env_.security, nullptr);
    env_.pool = std::make_unique<ElasticPool>();
    session_ = *WorkerSession::New(&env_, &steps_, env_.cluster, nullptr,
                                   /*new_domain=*/nullptr);
  }

  StatusOr<std::string> Register(const std::string& nodes) {
    RegisterGraphRequest request;
    CHECK(google::protobuf::TextFormat::ParseFromString(
        absl::StrReplaceAll(nodes, {{"%device%", kDevice}}),
        request.mutable_graph_def()));
    return session_->RegisterGraph(request);
  }

  Status Run(const std::string& handle) {
    GraphRun run;
    run.graph_handle = handle;
    run.step_id = ++step_id_;
    run.deadline = absl::Now() + absl::Milliseconds(100);
    GraphRunResult result;
    return session_->Run(
        run, [](auto) {}, &result);
  }

  WorkerEnv env_;
  StepRendezvousTable steps_{&env_};
  std::shared_ptr<WorkerSession> session_;
  int64_t step_id_ = 0;
};

TEST_F(WorkerSessionTest, APartitionThatWouldBeFedOrFetchedIsRefused) {
  const std::string arg = R"(
      node { name: "x" op: "_Arg" device: "%device%"
             attr { key: "T" value { type: DT_FLOAT } }
             attr { key: "index" value { i: 0 } } })";
  const std::string retval = absl::StrCat(kConst, R"(
      node { name: "y" op: "_Retval" input: "c" device: "%device%"
             attr { key: "T" value { type: DT_FLOAT } }
             attr { key: "index" value { i: 0 } } })");
  for (const std::string& nodes : {arg, retval}) {
    const Status status = Register(nodes).status();
    EXPECT_TRUE(errors::IsInvalidArgument(status)) << status;
    EXPECT_TRUE(absl::StrContains(status.message(), "_Arg and _Retval"))
        << status;
  }
  EXPECT_EQ(Run(*Register(kConst)), OkStatus());
}

TEST_F(WorkerSessionTest, NodesOfOneNameInTwoPartitionsHaveKernelsOfTheirOwn) {
  const auto send = Register(absl::StrCat(kConst, R"(
      node { name: "x" op: "_Send" input: "c" device: "%device%"
             attr { key: "T" value { type: DT_FLOAT } })",
                                          kTransfer));
  ASSERT_TRUE(send.ok()) << send.status();
  EXPECT_EQ(Run(*send), OkStatus());
  const auto recv = Register(absl::StrCat(R"(
      node { name: "x" op: "_Recv" device: "%device%"
             attr { key: "tensor_type" value { type: DT_FLOAT } })",
                                          kTransfer));
  ASSERT_TRUE(recv.ok()) << recv.status();
  // Nobody sends in this step, so the _Recv waits until the deadline.
  EXPECT_TRUE(errors::IsDeadlineExceeded(Run(*recv)));
}

TEST_F(WorkerSessionTest, AStatefulNodeOfAKnownNameAndAnotherOpIsAnotherNode) {
  const std::string variable = R"(
      node { name: "v" op: "VarHandleOp" device: "%device%"
             attr { key: "dtype" value { type: DT_FLOAT } }
             attr { key: "shape" value { shape {} } } })";
  EXPECT_EQ(Run(*Register(variable)), OkStatus());
  const std::string random = R"(
      node { name: "s" op: "Const" device: "%device%"
             attr { key: "dtype" value { type: DT_INT32 } }
             attr { key: "value" value { tensor {
               dtype: DT_INT32 tensor_shape { dim { size: 1 } } int_val: 4 } } } }
      node { name: "v" op: "RandomUniform" input: "s" device: "%device%"
             attr { key: "T" value { type: DT_INT32 } }
             attr { key: "dtype" value { type: DT_FLOAT } } })";
  const auto registered = Register(random);
  ASSERT_TRUE(registered.ok()) << registered.status();
  EXPECT_EQ(Run(*registered), OkStatus());
  EXPECT_EQ(Run(*Register(variable)), OkStatus());
}

}  // namespace
}  // namespace tensorwright
