// SPDX-License-Identifier: Apache-2.0
// ShapeRefiner.
#include "core/graph/shape_refiner.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "core/framework/attr_value.pb.h"
#include "core/framework/op_registration.h"
#include "core/framework/shape_inference.h"
#include "core/framework/tensor.pb.h"
#include "core/framework/tensor_shape.pb.h"
#include "core/lib/core/errors.h"

namespace tensorwright {

using shape_inference::InferenceContext;
using shape_inference::ShapeAndType;
using shape_inference::ShapeHandle;

namespace {

// In each round a shape function may ask for one more value; few ask twice.
constexpr int kMaxRounds = 4;
// A few bytes may stand for any number of equal elements.  Shapes, permutations
// and the like have fewer than this.
constexpr int64_t kMaxRepeated = 1024;

// Computed from the shape; INT64_MAX for more.
int64_t NumElements(const TensorProto& proto) {
  int64_t n = 1;
  for (const auto& dim : proto.tensor_shape().dim()) {
    if (__builtin_mul_overflow(n, dim.size(), &n)) return INT64_MAX;
  }
  return n;
}

}  // namespace

// The known values of the inputs.
struct ShapeRefiner::Values {
  std::vector<Tensor> storage;
  std::vector<const Tensor*> tensors;         // Empty, or one per input.
  std::vector<PartialTensorShape> as_shapes;  // Likewise.
};

Status ShapeRefiner::AddNode(const Node& node) {
  Shapes outputs;
  outputs.resize(node.num_outputs());
  std::vector<HandleData> handles;
  if (node.op_registration().shape_inference_fn) {
    absl::InlinedVector<PartialTensorShape, 4> input_shapes;
    for (int i = 0; i < node.num_inputs(); ++i) {
      const Edge* e = node.input_edge(i);
      input_shapes.push_back(e == nullptr
                                 ? PartialTensorShape()
                                 : OutputShape(*e->src(), e->src_output()));
    }
    Values values;
    std::vector<bool> wanted(node.num_inputs(), false);
    for (int round = 0; round < kMaxRounds; ++round) {
      std::vector<bool> asked(node.num_inputs(), false);
      Status s =
          RunShapeFn(node, values, input_shapes, &asked, &outputs, &handles);
      if (!s.ok()) return errors::AttachNode(std::move(s), node.name());
      bool more = false;
      for (int i = 0; i < node.num_inputs(); ++i) {
        if (!asked[i] || wanted[i]) continue;
        wanted[i] = true;
        const Edge* e = node.input_edge(i);
        if (e == nullptr) continue;
        if (values.tensors.empty()) {
          values.storage.resize(node.num_inputs());
          values.tensors.resize(node.num_inputs());
          values.as_shapes.resize(node.num_inputs());
        }
        ConstantEvaluator evaluator = MakeEvaluator(kMaxRepeated);
        PartialValue partial;
        if (evaluator.EvaluateTensor(*e->src(), e->src_output(),
                                     &values.storage[i])) {
          values.tensors[i] = &values.storage[i];
          more = true;
        } else if (evaluator.Evaluate(*e->src(), e->src_output(), &partial) &&
                   partial.ToShape(&values.as_shapes[i])) {
          more = true;
        }
      }
      if (!more) break;
    }
  }
  if (node.id() >= static_cast<int>(shapes_.size())) {
    shapes_.resize(node.id() + 1);
  }
  shapes_[node.id()] = std::make_unique<Shapes>(std::move(outputs));
  for (size_t i = 0; i < handles.size(); ++i) {
    if (!handles[i].empty()) {
      handles_[{node.id(), static_cast<int>(i)}] = std::move(handles[i]);
    }
  }
  return OkStatus();
}

Status ShapeRefiner::RunShapeFn(
    const Node& node, const Values& values,
    absl::Span<const PartialTensorShape> input_shapes,
    std::vector<bool>* wanted, Shapes* outputs,
    std::vector<HandleData>* handles) {
  InferenceContext context(graph_def_version_, AttrSlice(node.def()),
                           node.op_def(), input_shapes, values.tensors,
                           values.as_shapes);
  TF_RETURN_IF_ERROR(context.construction_status());
  if (!handles_.empty()) SetHandleData(node, &context);
  TF_RETURN_IF_ERROR(context.Run(node.op_registration().shape_inference_fn));
  for (int i = 0; i < node.num_inputs(); ++i) {
    (*wanted)[i] = context.requested_input_tensor(i) ||
                   context.requested_input_tensor_as_partial_shape(i);
  }
  for (int i = 0; i < node.num_outputs(); ++i) {
    (*outputs)[i] = context.ToPartialTensorShape(context.output(i));
    const auto* handle = context.output_handle_shapes_and_types(i);
    if (handle == nullptr) continue;
    handles->resize(node.num_outputs());
    (*handles)[i].clear();
    for (const ShapeAndType& h : *handle) {
      (*handles)[i].emplace_back(context.ToPartialTensorShape(h.shape),
                                 h.dtype);
    }
  }
  return OkStatus();
}

void ShapeRefiner::SetHandleData(const Node& node,
                                 InferenceContext* context) const {
  for (int i = 0; i < node.num_inputs(); ++i) {
    const Edge* e = node.input_edge(i);
    if (e == nullptr) continue;
    auto it = handles_.find({e->src()->id(), e->src_output()});
    if (it == handles_.end()) continue;
    std::vector<ShapeAndType> data;
    for (const auto& [shape, dtype] : it->second) {
      ShapeHandle handle;
      if (!context->MakeShapeFromPartialTensorShape(shape, &handle).ok()) {
        handle = context->UnknownShape();
      }
      data.emplace_back(handle, dtype);
    }
    context->set_input_handle_shapes_and_types(i, std::move(data));
  }
}

void ShapeRefiner::RemoveNode(const Node& node) {
  if (node.id() < static_cast<int>(shapes_.size())) {
    shapes_[node.id()].reset();
  }
  consts_.erase(node.id());
  for (int i = 0; i < node.num_outputs(); ++i) handles_.erase({node.id(), i});
}

PartialTensorShape ShapeRefiner::OutputShape(const Node& node,
                                             int output) const {
  if (node.id() >= static_cast<int>(shapes_.size()) ||
      shapes_[node.id()] == nullptr) {
    return PartialTensorShape();
  }
  return (*shapes_[node.id()])[output];
}

namespace {

// Tells why two shapes do not fit each other: the ranks, or the first sizes
// that differ.
std::string WhyDifferent(const PartialTensorShape& a,
                         const PartialTensorShape& b) {
  if (a.dims() != b.dims()) {
    return absl::StrCat("Shapes must be equal rank, but are ", a.dims(),
                        " and ", b.dims(), ".");
  }
  int d = 0;
  while (a.dim_size(d) < 0 || b.dim_size(d) < 0 ||
         a.dim_size(d) == b.dim_size(d)) {
    ++d;
  }
  return absl::StrCat("Dimension ", d,
                      " in both shapes must be equal, but are ", a.dim_size(d),
                      " and ", b.dim_size(d), ".");
}

}  // namespace

Status ShapeRefiner::SetShape(const Node& node, int output,
                              const PartialTensorShape& shape) {
  const PartialTensorShape known = OutputShape(node, output);
  PartialTensorShape merged;
  if (!known.MergeWith(shape, &merged).ok()) {
    return errors::InvalidArgument(
        WhyDifferent(known, shape), " Shapes are ", known.DebugString(),
        " and ", shape.DebugString(), ": the latter does not fit ", node.name(),
        ":", output, ".");
  }
  if (node.id() >= static_cast<int>(shapes_.size())) {
    shapes_.resize(node.id() + 1);
  }
  if (shapes_[node.id()] == nullptr) {
    shapes_[node.id()] = std::make_unique<Shapes>(node.num_outputs());
  }
  (*shapes_[node.id()])[output] = merged;
  return OkStatus();
}

bool ShapeRefiner::ConstantValue(const Node& node, int output, Tensor* value) {
  return MakeEvaluator(INT64_MAX).EvaluateTensor(node, output, value);
}

ConstantEvaluator ShapeRefiner::MakeEvaluator(int64_t max_repeated) {
  return ConstantEvaluator(
      [this](const Node& n, int output) { return OutputShape(n, output); },
      [this, max_repeated](const Node& n) {
        return ConstTensor(n, max_repeated);
      });
}

const Tensor* ShapeRefiner::ConstTensor(const Node& node,
                                        int64_t max_repeated) {
  auto it = consts_.find(node.id());
  if (it != consts_.end()) return &it->second;
  const AttrValue* attr = node.FindAttr("value");
  Tensor value;
  if (attr == nullptr ||
      NumElements(attr->tensor()) >
          std::max<int64_t>(max_repeated, attr->tensor().ByteSizeLong()) ||
      !Tensor::ParseProto(attr->tensor(), &value).ok()) {
    return nullptr;
  }
  return &consts_.emplace(node.id(), std::move(value)).first->second;
}

}  // namespace tensorwright
