// SPDX-License-Identifier: Apache-2.0
// Graph optimizers as packages register them with Grappler: by GraphDef and
// GraphView, by the view that mutates, with parameters, and ones that fail.
#include <memory>
#include <string>
#include <unordered_set>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "tensorflow/core/framework/attr_value.pb.h"
#include "tensorflow/core/framework/node_def_util.h"
#include "tensorflow/core/framework/tensor.h"
#include "tensorflow/core/grappler/clusters/cluster.h"
#include "tensorflow/core/grappler/graph_view.h"
#include "tensorflow/core/grappler/grappler_item.h"
#include "tensorflow/core/grappler/op_types.h"
#include "tensorflow/core/grappler/optimizers/custom_graph_optimizer.h"
#include "tensorflow/core/grappler/optimizers/custom_graph_optimizer_registry.h"
#include "tensorflow/core/grappler/utils.h"
#include "tensorflow/core/grappler/utils/graph_view.h"
#include "tensorflow/core/grappler/utils/topological_sort.h"
#include "tensorflow/core/protobuf/rewriter_config.pb.h"

namespace tensorflow {
namespace grappler {
namespace {

// Is the node a scalar of floats with that value?
bool IsScalarOf(const NodeDef& node, float wanted) {
  if (!IsConstant(node)) return false;
  Tensor value;
  if (!value.FromProto(node.attr().at("value").tensor())) return false;
  return value.dtype() == DT_FLOAT && value.NumElements() == 1 &&
         value.flat<float>()(0) == wanted;
}

// Mul(x, 2) -> Add(x, x), by the view that only reads.
class CorpusDoubleByAdding : public CustomGraphOptimizer {
 public:
  Status Init(const RewriterConfig_CustomGraphOptimizer* config) override {
    return absl::OkStatus();
  }
  std::string name() const override { return "corpus_double_by_adding"; }
  bool UsesFunctionLibrary() const override { return false; }

  Status Optimize(Cluster* cluster, const GrapplerItem& item,
                  GraphDef* optimized_graph) override {
    *optimized_graph = item.graph;
    const GraphView view(&item.graph);
    for (NodeDef& node : *optimized_graph->mutable_node()) {
      if (!IsMul(node)) continue;
      for (int i = 0; i < 2; ++i) {
        const auto port =
            view.GetRegularFanin(view.GetInputPort(node.name(), 1 - i));
        if (port.node == nullptr || !IsScalarOf(*port.node, 2.0f)) continue;
        node.set_op("Add");
        const string kept = node.input(i);
        node.set_input(1 - i, kept);
        break;
      }
    }
    return TopologicalSort(optimized_graph);
  }
};
REGISTER_GRAPH_OPTIMIZER(CorpusDoubleByAdding);

// Exp(Neg(x)) -> Reciprocal(Exp(x)), by mutations, and only for nodes that
// nobody else needs.
class CorpusMutations : public CustomGraphOptimizer {
 public:
  Status Init(const RewriterConfig_CustomGraphOptimizer* config) override {
    return Status::OK();
  }
  string name() const override { return "corpus_mutations"; }
  bool UsesFunctionLibrary() const override { return false; }
  void Feedback(Cluster* cluster, const GrapplerItem& item,
                const GraphDef& optimized_graph, double result) override {}

  Status Optimize(Cluster* cluster, const GrapplerItem& item,
                  GraphDef* optimized_graph) override {
    GrapplerItem mutable_item = item;
    Status status;
    utils::MutableGraphView view(&mutable_item.graph, &status);
    TF_RETURN_IF_ERROR(status);
    TF_RETURN_IF_ERROR(view.SortTopologically(/*ignore_cycles=*/false, {}));
    const std::unordered_set<string> preserved = item.NodesToPreserve();
    std::vector<string> replaced;
    for (int i = view.NumNodes() - 1; i >= 0; --i) {
      const utils::MutableNodeView* exp = view.GetNode(i);
      if (!IsExp(*exp->node()) || exp->NumRegularFanins() != 1) continue;
      const utils::MutableNodeView* neg = exp->GetRegularFanin(0).node_view();
      if (!IsNeg(*neg->node()) || neg->NumRegularFanouts() != 1 ||
          preserved.count(neg->GetName()) > 0) {
        continue;
      }
      NodeDef inner = *exp->node();
      inner.set_name(absl::StrCat(exp->GetName(), "/of_positive"));
      inner.set_input(0, neg->node()->input(0));
      NodeDef outer;
      outer.set_name(exp->GetName());
      outer.set_op("Reciprocal");
      outer.set_device(exp->GetDevice());
      outer.add_input(inner.name());
      (*outer.mutable_attr())["T"] = exp->node()->attr().at("T");
      replaced.push_back(neg->GetName());
      utils::Mutation* mutation = view.GetMutationBuilder();
      mutation->AddNode(std::move(inner), &status);
      TF_RETURN_IF_ERROR(status);
      mutation->AddNode(std::move(outer), &status);
      TF_RETURN_IF_ERROR(status);
      TF_RETURN_IF_ERROR(mutation->Apply());
    }
    utils::Mutation* mutation = view.GetMutationBuilder();
    for (const string& name : replaced) {
      mutation->RemoveNode(view.GetNode(name));
    }
    TF_RETURN_IF_ERROR(mutation->Apply());
    *optimized_graph = std::move(mutable_item.graph);
    return Status::OK();
  }
};
REGISTER_GRAPH_OPTIMIZER_AS(CorpusMutations, "corpus_mutations");

// Writes what it sees into the constant that its parameter names.
class CorpusDescribe : public CustomGraphOptimizer {
 public:
  Status Init(const RewriterConfig_CustomGraphOptimizer* config) override {
    if (config == nullptr) return absl::OkStatus();
    const auto it = config->parameter_map().find("into");
    if (it == config->parameter_map().end()) {
      return absl::InvalidArgumentError("the parameter `into` is missing");
    }
    into_ = it->second.s();
    return absl::OkStatus();
  }
  string name() const override { return "corpus_describe"; }
  bool UsesFunctionLibrary() const override { return true; }

  Status Optimize(Cluster* cluster, const GrapplerItem& item,
                  GraphDef* optimized_graph) override {
    static int calls = 0;
    ++calls;
    *optimized_graph = item.graph;
    std::vector<string> feeds;
    for (const auto& feed : item.feed) {
      feeds.push_back(absl::StrCat(feed.first, "=",
                                   DataTypeString(feed.second.dtype()),
                                   feed.second.shape().DebugString()));
    }
    std::vector<string> cores;
    for (const auto& device : cluster->GetDevices()) {
      cores.push_back(
          absl::StrCat(device.second.type(), device.second.num_cores() > 0));
    }
    const string text = absl::StrCat(
        "calls ", calls, "; feed ", absl::StrJoin(feeds, ","), "; fetch ",
        absl::StrJoin(item.fetch, ","), "; devices ",
        absl::StrJoin(cluster->GetDeviceNames(), ","), "; cores ",
        absl::StrJoin(cores, ","), "; main ", item.MainOpsFanin().size(),
        "; variables ", item.MainVariables().size(), "; intra ",
        config_proto_.intra_op_parallelism_threads());
    for (NodeDef& node : *optimized_graph->mutable_node()) {
      if (node.name() != into_) continue;
      Tensor value(DT_STRING, TensorShape({}));
      value.scalar<tstring>()() = text;
      value.AsProtoTensorContent(
          (*node.mutable_attr())["value"].mutable_tensor());
      return absl::OkStatus();
    }
    return absl::AbortedError("nothing to describe");
  }

 private:
  string into_;
};
REGISTER_GRAPH_OPTIMIZER_AS(CorpusDescribe, "corpus_describe");

// Fails, or, by its parameter, makes a graph that cannot run.
class CorpusFails : public CustomGraphOptimizer {
 public:
  Status Init(const RewriterConfig_CustomGraphOptimizer* config) override {
    if (config != nullptr && config->parameter_map().count("drop") > 0) {
      drop_ = config->parameter_map().at("drop").b();
    }
    return Status();
  }
  string name() const override { return "corpus_fails"; }
  bool UsesFunctionLibrary() const override { return false; }
  Status Optimize(Cluster* cluster, const GrapplerItem& item,
                  GraphDef* optimized_graph) override {
    if (drop_) {
      optimized_graph->Clear();
      return Status();
    }
    GRAPPLER_RETURN_IF_DEADLINE_EXCEEDED();
    return errors::FailedPrecondition("nothing suits corpus_fails");
  }

 private:
  bool drop_ = false;
};
REGISTER_GRAPH_OPTIMIZER_AS(CorpusFails, "corpus_fails");

}  // namespace
}  // namespace grappler
}  // namespace tensorflow
