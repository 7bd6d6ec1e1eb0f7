// SPDX-License-Identifier: Apache-2.0
// LiveGraph.
#include "core/graph/live_graph.h"

#include <algorithm>
#include <utility>

#include "absl/cleanup/cleanup.h"
#include "absl/strings/str_cat.h"
#include "core/framework/attr_inference.h"
#include "core/framework/function.h"
#include "core/framework/function.pb.h"
#include "core/framework/graph.pb.h"
#include "core/framework/node_def_util.h"
#include "core/framework/op_registration.h"
#include "core/framework/tensor_shape.pb.h"
#include "core/graph/graph_constructor.h"
#include "core/graph/shape_refiner.h"
#include "core/graph/tensor_id.h"
#include "core/graph/validate.h"
#include "core/lib/core/errors.h"

namespace tensorwright {
namespace {

constexpr char kOutputShapes[] = "_output_shapes";

// The version of the oldest GraphDef that is part of the graph; without one,
// the version that we write, TensorFlow 1.3's.
int Producer(const Graph& graph) {
  const int producer = graph.versions().producer();
  return producer == 0 ? 24 : producer;
}

// Does this attr decide the node's types (or how many tensors it has)?
bool IsTypeAttr(const OpDef& op, const std::string& name) {
  const auto uses = [&](const OpDef::ArgDef& arg) {
    return arg.type_attr() == name || arg.number_attr() == name ||
           arg.type_list_attr() == name;
  };
  for (const auto& arg : op.input_arg()) {
    if (uses(arg)) return true;
  }
  for (const auto& arg : op.output_arg()) {
    if (uses(arg)) return true;
  }
  return false;
}

Status CheckRef(absl::string_view op, const OutputRef& ref, int position) {
  if (ref.node == nullptr) {
    return errors::InvalidArgument(op, ": input ", position, " is missing");
  }
  if (ref.index < 0 || ref.index >= ref.node->num_outputs()) {
    return errors::InvalidArgument(
        op, ": input ", position, " is output ", ref.index, " of ",
        ref.node->name(), ", which has ", ref.node->num_outputs(), " outputs");
  }
  return OkStatus();
}

// A def that was written with shapes may know more than we can infer.
Status TakeShapes(Node* node, ShapeRefiner* refiner) {
  const AttrValue* shapes = node->FindAttr(kOutputShapes);
  if (shapes == nullptr) return OkStatus();
  const int n = std::min(shapes->list().shape_size(), node->num_outputs());
  for (int i = 0; i < n; ++i) {
    PartialTensorShape shape;
    TF_RETURN_IF_ERROR(PartialTensorShape::BuildPartialTensorShape(
        shapes->list().shape(i), &shape));
    TF_RETURN_IF_ERROR(refiner->SetShape(*node, i, shape));
  }
  node->ClearAttr(kOutputShapes);
  return OkStatus();
}

// Adds a library to `functions`; Undo() removes the additions again.
class LibraryAddition {
 public:
  explicit LibraryAddition(FunctionLibraryDefinition* functions)
      : functions_(*functions) {}

  Status Add(const FunctionDefLibrary& library) {
    for (const FunctionDef& f : library.function()) {
      if (!functions_.Contains(f.signature().name())) {
        new_functions_.push_back(f.signature().name());
      }
    }
    for (const GradientDef& g : library.gradient()) {
      if (functions_.FindGradient(g.function_name()).empty()) {
        new_gradients_.push_back(g.function_name());
      }
    }
    return functions_.AddLibrary(library);
  }

  void Undo() {
    for (const std::string& name : new_functions_) {
      functions_.RemoveFunction(name).IgnoreError();
    }
    for (const std::string& name : new_gradients_) {
      functions_.RemoveGradient(name).IgnoreError();
    }
  }

 private:
  FunctionLibraryDefinition& functions_;
  std::vector<std::string> new_functions_;
  std::vector<std::string> new_gradients_;
};

}  // namespace

LiveGraph::LiveGraph(const OpRegistryInterface* ops)
    : functions_(std::make_shared<FunctionLibraryDefinition>(ops)),
      graph_(functions_.get()),
      refiner_(std::make_unique<ShapeRefiner>()) {}

LiveGraph::~LiveGraph() = default;

StatusOr<Node*> LiveGraph::AddNode(const NodeArgs& args) {
  const OpRegistrationData* op = nullptr;
  TF_RETURN_IF_ERROR(graph_.op_registry()->LookUp(args.op, &op));
  absl::InlinedVector<DataType, 8> input_types;
  for (size_t i = 0; i < args.inputs.size(); ++i) {
    const OutputRef& ref = args.inputs[i];
    TF_RETURN_IF_ERROR(CheckRef(args.op, ref, static_cast<int>(i)));
    input_types.push_back(ref.node->output_type(ref.index));
  }
  NodeDef def;
  def.set_op(std::string(args.op));
  def.set_device(std::string(args.device));
  for (const auto& [name, value] : args.attrs) {
    (*def.mutable_attr())[name] = value;
  }
  TF_RETURN_IF_ERROR(
      InferAttrs(op->op_def, input_types, args.arg_sizes, def.mutable_attr()));

  absl::MutexLock lock(&mu_);
  if (args.name.empty()) {
    def.set_name(UniqueNameLocked(args.op));
  } else if (!IsValidNodeName(args.name)) {
    return errors::InvalidArgument("'", args.name,
                                   "' is not a valid node name");
  } else if (by_name_.contains(args.name)) {
    return errors::InvalidArgument("Node name '", args.name,
                                   "' is already used in the graph");
  } else {
    def.set_name(std::string(args.name));
  }
  GraphBudget budget = budget_;
  TF_RETURN_IF_ERROR(budget.Add(def, op->op_def));
  DataTypeVector in;
  DataTypeVector out;
  TF_RETURN_IF_ERROR(InOutTypesForNode(def, op->op_def, &in, &out));
  if (in.size() != args.inputs.size()) {
    return errors::InvalidArgument(args.op, ": needs ", in.size(),
                                   " inputs, got ", args.inputs.size());
  }
  Node* node = graph_.AddNode(
      std::make_shared<NodeProperties>(&op->op_def, std::move(def),
                                       std::move(in), std::move(out)),
      op);
  Status status;
  for (size_t i = 0; i < args.inputs.size(); ++i) {
    const OutputRef& ref = args.inputs[i];
    status.Update(
        ValidateEdgeTypes(*ref.node, ref.index, *node, static_cast<int>(i)));
    graph_.AddEdge(ref.node, ref.index, node, static_cast<int>(i));
  }
  for (Node* before : args.control_inputs) graph_.AddControlEdge(before, node);
  if (status.ok()) status = refiner_->AddNode(*node);
  if (!status.ok()) {
    graph_.RemoveNode(node);
    return status;
  }
  budget_ = budget;
  by_name_.emplace(node->name(), node);
  Touch();
  return node;
}

StatusOr<std::vector<Node*>> LiveGraph::Import(const GraphDef& def,
                                               const ImportOptions& options) {
  absl::MutexLock lock(&mu_);
  GraphConstructorOptions o;
  if (!options.prefix.empty()) o.prefix = absl::StrCat(options.prefix, "/");
  o.input_map = options.input_map;
  o.control_dependencies = options.control_dependencies;
  o.default_device = options.default_device;
  o.budget = &budget_;
  o.name_taken = [this](absl::string_view name) {
    return by_name_.contains(name);
  };
  o.number_taken_names = options.number_taken_names;
  o.node_added = [&](Node* node) -> Status {
    TF_RETURN_IF_ERROR(refiner_->AddNode(*node));
    return TakeShapes(node, refiner_.get());
  };
  // Nodes of the def mean what they meant when the def was written.
  const int version = refiner_->graph_def_version();
  refiner_->set_graph_def_version(std::min(version, def.versions().producer()));
  const absl::Cleanup restore(
      [&] { refiner_->set_graph_def_version(version); });
  std::vector<Node*> nodes;
  // Node ids are never used again, so the refiner's knowledge of nodes that are
  // removed after an error does no harm.
  LibraryAddition library(functions_.get());
  TF_RETURN_IF_ERROR(library.Add(def.library()));
  const Status status = ConvertGraphDefToGraph(o, def, &graph_, &nodes);
  if (!status.ok()) {
    library.Undo();
    return status;
  }
  for (Node* node : nodes) by_name_.emplace(node->name(), node);
  // Part of the graph is as old as the def.
  if (const int producer = def.versions().producer();
      producer > 0 && producer < Producer(graph_)) {
    VersionDef versions = graph_.versions();
    versions.set_producer(producer);
    graph_.set_versions(versions);
  }
  Touch();
  return nodes;
}

Node* LiveGraph::FindNode(absl::string_view name) const {
  absl::MutexLock lock(&mu_);
  auto it = by_name_.find(name);
  return it == by_name_.end() ? nullptr : it->second;
}

std::string LiveGraph::UniqueName(absl::string_view name) {
  absl::MutexLock lock(&mu_);
  return UniqueNameLocked(name);
}

std::string LiveGraph::UniqueNameLocked(absl::string_view name) {
  if (!by_name_.contains(name)) return std::string(name);
  int& suffix = next_suffix_[std::string(name)];
  for (;;) {
    std::string candidate = absl::StrCat(name, "_", ++suffix);
    if (!by_name_.contains(candidate)) return candidate;
  }
}

PartialTensorShape LiveGraph::OutputShape(OutputRef output) const {
  absl::MutexLock lock(&mu_);
  return refiner_->OutputShape(*output.node, output.index);
}

Status LiveGraph::SetShape(OutputRef output, const PartialTensorShape& shape) {
  absl::MutexLock lock(&mu_);
  TF_RETURN_IF_ERROR(refiner_->SetShape(*output.node, output.index, shape));
  Touch();
  return OkStatus();
}

bool LiveGraph::ConstantValue(OutputRef output, Tensor* value) const {
  absl::MutexLock lock(&mu_);
  return refiner_->ConstantValue(*output.node, output.index, value);
}

Status LiveGraph::UpdateInput(Node* node, int i, OutputRef source) {
  absl::MutexLock lock(&mu_);
  if (i < 0 || i >= node->num_inputs()) {
    return errors::OutOfRange("Node ", node->name(), " has ",
                              node->num_inputs(), " inputs, not one numbered ",
                              i);
  }
  TF_RETURN_IF_ERROR(CheckRef(node->type_string(), source, i));
  TF_RETURN_IF_ERROR(ValidateEdgeTypes(*source.node, source.index, *node, i));
  graph_.UpdateEdge(source.node, source.index, node, i);
  TouchOld();
  return OkStatus();
}

Status LiveGraph::AddControlInput(Node* node, Node* source) {
  absl::MutexLock lock(&mu_);
  if (node == source) {
    return errors::InvalidArgument("Node ", node->name(),
                                   " cannot be its own control input");
  }
  if (graph_.AddControlEdge(source, node) != nullptr) TouchOld();
  return OkStatus();
}

Status LiveGraph::RemoveControlInputs(Node* node) {
  absl::MutexLock lock(&mu_);
  std::vector<const Edge*> controls;
  for (const Edge* e : node->in_edges()) {
    if (e->IsControlEdge()) controls.push_back(e);
  }
  for (const Edge* e : controls) graph_.RemoveEdge(e);
  if (!controls.empty()) TouchOld();
  return OkStatus();
}

Status LiveGraph::SetAttr(Node* node, const std::string& name,
                          const AttrValue& value) {
  absl::MutexLock lock(&mu_);
  if (IsTypeAttr(node->op_def(), name) ||
      (node->IsConstant() && name == "value")) {
    return errors::InvalidArgument("Attr '", name, "' of node ", node->name(),
                                   " (", node->type_string(),
                                   ") cannot be changed");
  }
  for (const auto& attr : node->op_def().attr()) {
    if (attr.name() == name) TF_RETURN_IF_ERROR(ValidateAttrValue(value, attr));
  }
  retired_.push_back(node->properties());
  node->SetAttr(name, value);
  TouchOld();
  return OkStatus();
}

Status LiveGraph::ClearAttr(Node* node, const std::string& name) {
  absl::MutexLock lock(&mu_);
  for (const auto& attr : node->op_def().attr()) {
    if (attr.name() == name) {
      return errors::InvalidArgument("Attr '", name, "' of node ", node->name(),
                                     " belongs to op ", node->type_string(),
                                     " and cannot be removed");
    }
  }
  retired_.push_back(node->properties());
  node->ClearAttr(name);
  TouchOld();
  return OkStatus();
}

Status LiveGraph::SetDevice(Node* node, const std::string& device) {
  absl::MutexLock lock(&mu_);
  retired_.push_back(node->properties());
  node->set_requested_device(device);
  TouchOld();
  return OkStatus();
}

Status LiveGraph::SetExperimentalType(Node* node, const FullTypeDef& type) {
  absl::MutexLock lock(&mu_);
  if (type.type_id() != TFT_UNSET && type.type_id() != TFT_PRODUCT) {
    return errors::InvalidArgument("The type of node ", node->name(),
                                   " must be TFT_UNSET or TFT_PRODUCT, got ",
                                   FullTypeId_IsValid(type.type_id())
                                       ? FullTypeId_Name(type.type_id())
                                       : absl::StrCat(type.type_id()));
  }
  retired_.push_back(node->properties());
  node->set_experimental_type(type);
  Touch();
  return OkStatus();
}

void LiveGraph::ToGraphDef(GraphDef* def) const { ToGraphDef(def, false); }

void LiveGraph::ToGraphDef(GraphDef* def, bool add_shapes) const {
  absl::MutexLock lock(&mu_);
  graph_.ToGraphDef(def);
  def->mutable_versions()->set_producer(Producer(graph_));
  if (!functions_->empty()) functions_->ToProto(def->mutable_library());
  if (!add_shapes) return;
  int i = 0;
  for (const Node* node : graph_.op_nodes()) {
    AttrValue& attr = (*def->mutable_node(i++)->mutable_attr())[kOutputShapes];
    attr.mutable_list();
    for (int k = 0; k < node->num_outputs(); ++k) {
      refiner_->OutputShape(*node, k).AsProto(attr.mutable_list()->add_shape());
    }
  }
}

void LiveGraph::ToNodeDef(const Node& node, NodeDef* def) const {
  absl::MutexLock lock(&mu_);
  graph_.ToNodeDef(node, def);
}

}  // namespace tensorwright
