// SPDX-License-Identifier: Apache-2.0
// An executor that runs the graph here, with this library's own kernels.  The
// author of another executor can start from it, and it proves that the calls
// suffice.

#include "core/kernels/remote_fused_graph/remote_fused_graph_executor.h"

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "core/kernels/lib/ops_testutil.h"
#include "gtest/gtest.h"

namespace tensorwright {
namespace {

// Nodes have one output each, and follow their inputs in the graph.
class HereExecutor final : public IRemoteFusedGraphExecutor {
 public:
  // The calls it got, in order.
  static std::vector<std::string>* calls() {
    static auto* const calls = new std::vector<std::string>;
    return calls;
  }

  Status Init(const RemoteFusedGraphExecuteInfo& info) override {
    calls()->push_back("Init");
    info_ = &info;
    return OkStatus();
  }

  Status SetupGraph() override {
    calls()->push_back("SetupGraph");
    for (const NodeDef& node : info_->remote_graph().node()) {
      if (node.op() == "Placeholder") continue;
      TF_RETURN_IF_ERROR(runners_[node.name()].InitNode(node));
    }
    return OkStatus();
  }

  Status FillInputNode(const std::string& name, const Tensor& value) override {
    values_[name] = value;
    return OkStatus();
  }

  Status ExecuteGraph() override {
    calls()->push_back("ExecuteGraph");
    for (const NodeDef& node : info_->remote_graph().node()) {
      const auto found = runners_.find(node.name());
      if (found == runners_.end()) continue;
      KernelRunner& runner = found->second;
      runner.ClearInputs();
      for (const std::string& input : node.input()) {
        runner.AddInput(values_[input]);
      }
      TF_RETURN_IF_ERROR(runner.Run());
      values_[node.name()] = *runner.output(0);
    }
    return OkStatus();
  }

  Status ReadOutputNode(const std::string& name,
                        const TensorAllocator& allocate) override {
    const auto found = values_.find(name);
    if (found == values_.end()) {
      return errors::NotFound("there is no node ", name);
    }
    const Tensor& value = found->second;
    StatusOr<Tensor*> output = allocate(value.shape());
    TF_RETURN_IF_ERROR(output.status());
    std::copy_n(value.base<float>(), value.NumElements(),
                (*output)->base<float>());
    return OkStatus();
  }

  Status TeardownGraph() override {
    calls()->push_back("TeardownGraph");
    return OkStatus();
  }
  Status Finalize() override {
    calls()->push_back("Finalize");
    return OkStatus();
  }

 private:
  const RemoteFusedGraphExecuteInfo* info_ = nullptr;
  std::map<std::string, KernelRunner> runners_;
  std::map<std::string, Tensor> values_;
};
const RemoteFusedGraphExecutorRegistrar<HereExecutor> here("here");

NodeDef* AddNode(GraphDef* graph, const std::string& name,
                 const std::string& op,
                 const std::vector<std::string>& inputs) {
  NodeDef* node = graph->add_node();
  node->set_name(name);
  node->set_op(op);
  for (const std::string& input : inputs) node->add_input(input);
  const char* attr = op == "Placeholder" ? "dtype" : "T";
  SetAttrValue(DT_FLOAT, &(*node->mutable_attr())[attr]);
  return node;
}

// (a + b) * a
RemoteFusedGraphExecuteInfo SumTimesFirst() {
  RemoteFusedGraphExecuteInfo info;
  info.set_executor_name("here");
  GraphDef* graph = info.mutable_remote_graph();
  AddNode(graph, "a", "Placeholder", {});
  AddNode(graph, "b", "Placeholder", {});
  AddNode(graph, "sum", "Add", {"a", "b"});
  AddNode(graph, "product", "Mul", {"sum", "a"});
  info.add_graph_input_node_name("a");
  info.add_graph_input_node_name("b");
  info.add_graph_output_node_name("product");
  info.add_graph_output_node_name("sum");
  return info;
}

class RemoteFusedGraphTest : public OpsTestBase {
 protected:
  Status Init(const std::string& serialized, int inputs = 2, int outputs = 2) {
    return InitOp("RemoteFusedGraphExecute",
                  {{"Tinputs", DataTypeVector(inputs, DT_FLOAT)},
                   {"Toutputs", DataTypeVector(outputs, DT_FLOAT)},
                   {"serialized_remote_fused_graph_execute_info", serialized}});
  }
  Status Init(const RemoteFusedGraphExecuteInfo& info) {
    return Init(info.SerializeAsString());
  }
  // Expects that making the node fails with that code and those words.
  void ExpectRefused(const Status& status, error::Code code,
                     const std::string& words) {
    EXPECT_EQ(status.code(), code) << status;
    EXPECT_TRUE(absl::StrContains(status.error_message(), words)) << status;
  }
};

TEST_F(RemoteFusedGraphTest, RunsTheGraphOnItsExecutor) {
  TF_ASSERT_OK(Init(SumTimesFirst()));
  AddInput<float>({3}, {1, 2, 3});
  AddInput<float>({3}, {10, 20, 30});
  TF_ASSERT_OK(RunOpKernel());
  ExpectOutput<float>(0, {3}, {11, 44, 99});
  ExpectOutput<float>(1, {3}, {11, 22, 33});
  // Other values and shapes, on the same executor.
  runner_.SetInput(0, MakeTensor<float>({1, 2}, {1, 1}));
  runner_.SetInput(1, MakeTensor<float>({2, 1}, {5, 7}));
  TF_ASSERT_OK(RunOpKernel());
  ExpectOutput<float>(0, {2, 2}, {6, 6, 8, 8});
}

TEST_F(RemoteFusedGraphTest, CallsTheExecutorInOrder) {
  HereExecutor::calls()->clear();
  {
    KernelRunner runner;
    NodeDef node;
    node.set_name("node");
    node.set_op("RemoteFusedGraphExecute");
    SetAttrValue(DataTypeVector(2, DT_FLOAT),
                 &(*node.mutable_attr())["Tinputs"]);
    SetAttrValue(DataTypeVector(2, DT_FLOAT),
                 &(*node.mutable_attr())["Toutputs"]);
    SetAttrValue(
        SumTimesFirst().SerializeAsString(),
        &(*node.mutable_attr())["serialized_remote_fused_graph_execute_info"]);
    TF_ASSERT_OK(runner.InitNode(node));
    runner.AddInput(MakeTensor<float>({1}, {1}));
    runner.AddInput(MakeTensor<float>({1}, {2}));
    TF_ASSERT_OK(runner.Run());
    TF_ASSERT_OK(runner.Run());
  }
  const std::vector<std::string> wanted = {"Init",          "SetupGraph",
                                           "ExecuteGraph",  "ExecuteGraph",
                                           "TeardownGraph", "Finalize"};
  EXPECT_EQ(*HereExecutor::calls(), wanted);
}

TEST_F(RemoteFusedGraphTest, SaysWhichExecutorsThereAre) {
  RemoteFusedGraphExecuteInfo info = SumTimesFirst();
  info.set_executor_name("dsp");
  const Status status = Init(info);
  ExpectRefused(status, error::NOT_FOUND, "named 'dsp'");
  ExpectRefused(status, error::NOT_FOUND, "there are: here");
}

TEST_F(RemoteFusedGraphTest, AnotherOfTheNameIsRefused) {
  ExpectRefused(RegisterRemoteFusedGraphExecutor("here", nullptr),
                error::ALREADY_EXISTS, "here");
  EXPECT_EQ(RemoteFusedGraphExecutorNames(),
            std::vector<std::string>({"here"}));
}

TEST_F(RemoteFusedGraphTest, TheAttrMustFitTheNode) {
  ExpectRefused(Init("\xff not a message"), error::INVALID_ARGUMENT,
                "no such message");
  const std::string good = SumTimesFirst().SerializeAsString();
  ExpectRefused(Init(good, 3, 2), error::INVALID_ARGUMENT,
                "2 of graph_input_node_name, and the node 3");
  ExpectRefused(Init(good, 2, 1), error::INVALID_ARGUMENT,
                "2 of graph_output_node_name, and the node 1");
}

TEST_F(RemoteFusedGraphTest, ErrorsOfTheExecutorAreTheNodes) {
  RemoteFusedGraphExecuteInfo info = SumTimesFirst();
  info.set_graph_output_node_name(0, "nowhere");
  TF_ASSERT_OK(Init(info));
  AddInput<float>({1}, {1});
  AddInput<float>({1}, {2});
  ExpectError(error::NOT_FOUND,
              "RemoteFusedGraphExecute: the executor here: there is no node "
              "nowhere");
  info = SumTimesFirst();
  AddNode(info.mutable_remote_graph(), "odd", "NoSuchOp", {"a"});
  ExpectRefused(Init(info), error::NOT_FOUND, "the executor here: ");
}

}  // namespace
}  // namespace tensorwright
