// SPDX-License-Identifier: Apache-2.0
// FusedProgram: reads, writes and checks it.
#include "core/util/fused_program.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "core/framework/attr_value.pb.h"
#include "core/framework/common_shape_fns.h"
#include "core/framework/node_def.pb.h"
#include "core/framework/shape_contract.h"
#include "core/framework/shape_inference.h"
#include "core/lib/core/errors.h"

namespace tensorwright {
namespace {

using shape_inference::InferenceContext;

Status BadProgram(absl::string_view what) {
  return errors::InvalidArgument("Fused node: ", what);
}

const AttrValue::ListValue* FindList(const AttrSlice& attrs,
                                     absl::string_view name) {
  const AttrValue* attr = attrs.Find(name);
  return attr == nullptr ? nullptr : &attr->list();
}

// For most steps a look at the shapes is enough.
bool ShapesAreEqual(const FusedProgram::Step& step,
                    const std::vector<TensorShape>& values) {
  switch (step.kind) {
    case ElementwiseKind::kNone:
    case ElementwiseKind::kBias:
    case ElementwiseKind::kReduce:
      return false;
    default:
      break;
  }
  for (int operand : step.operands) {
    if (values[operand] != values[step.operands[0]]) return false;
  }
  return true;
}

}  // namespace

AttrSlice FusedProgram::Step::attrs() const { return AttrSlice(&op->attr()); }

Status FusedProgram::Parse(const AttrSlice& attrs, int num_inputs,
                           FusedProgram* program) {
  const auto* ops = FindList(attrs, "ops");
  const auto* names = FindList(attrs, "names");
  const auto* arities = FindList(attrs, "arities");
  const auto* operands = FindList(attrs, "operands");
  const auto* results = FindList(attrs, "results");
  if (ops == nullptr || names == nullptr || arities == nullptr ||
      operands == nullptr || results == nullptr) {
    return BadProgram("needs attrs ops, names, arities, operands and results");
  }
  if (names->s_size() != ops->func_size() ||
      arities->i_size() != ops->func_size()) {
    return BadProgram("ops, names and arities must have one size");
  }
  program->num_inputs_ = num_inputs;
  program->steps_.clear();
  program->steps_.reserve(ops->func_size());
  int next = 0;
  for (int i = 0; i < ops->func_size(); ++i) {
    Step& step = program->steps_.emplace_back();
    step.op = &ops->func(i);
    step.name = names->s(i);
    step.kind = ElementwiseKindOf(step.op->name());
    TF_RETURN_IF_ERROR(
        OpRegistry::Global()->LookUp(step.op->name(), &step.registration));
    const int64_t arity = arities->i(i);
    if (arity < 1 || arity > operands->i_size() - next) {
      return BadProgram("arities do not fit the operands");
    }
    for (int k = 0; k < arity; ++k) {
      const int64_t value = operands->i(next++);
      if (value < 0 || value >= num_inputs + i) {
        return BadProgram("an operand must come before its use");
      }
      step.operands.push_back(static_cast<int>(value));
    }
  }
  if (next != operands->i_size()) {
    return BadProgram("arities do not fit the operands");
  }
  program->results_.assign(results->i().begin(), results->i().end());
  for (int64_t value : program->results_) {
    if (value < 0 || value >= num_inputs + ops->func_size()) {
      return BadProgram("there is no such result");
    }
  }
  return OkStatus();
}

Status FusedProgram::InferShapes(absl::Span<const TensorShape> inputs,
                                 const InputValueFn& input_value,
                                 std::vector<TensorShape>* values) const {
  values->assign(inputs.begin(), inputs.end());
  values->reserve(inputs.size() + steps_.size());
  std::vector<TensorShape> operands;
  std::vector<PartialTensorShape> outputs;
  for (const Step& step : steps_) {
    if (ShapesAreEqual(step, *values)) {
      // A copy: push_back of an element of the same vector may move it.
      TensorShape shape = (*values)[step.operands[0]];
      values->push_back(std::move(shape));
      continue;
    }
    operands.clear();
    for (int operand : step.operands) operands.push_back((*values)[operand]);
    std::vector<const Tensor*> host;
    if (step.kind == ElementwiseKind::kReduce) {
      const int axes = step.operands.back();
      host = {nullptr, axes < num_inputs_ ? input_value(axes) : nullptr};
    }
    bool used_values = false;
    Status status = RunShapeFn(*step.registration, step.attrs(), operands, host,
                               &outputs, &used_values);
    TensorShape shape;
    if (status.ok() &&
        (outputs.size() != 1 || !outputs[0].AsTensorShape(&shape))) {
      status = errors::Internal(step.op->name(),
                                ": its shape does not follow from its inputs'");
    }
    if (!status.ok()) return errors::AttachNode(std::move(status), step.name);
    values->push_back(std::move(shape));
  }
  return OkStatus();
}

std::string FusedProgram::DebugString() const {
  std::string out;
  for (size_t i = 0; i < steps_.size(); ++i) {
    absl::StrAppend(
        &out, "%", num_inputs_ + i, " = ", steps_[i].op->name(), "(",
        absl::StrJoin(
            steps_[i].operands, ", ",
            [](std::string* s, int v) { absl::StrAppend(s, "%", v); }),
        ")  # ", steps_[i].name, "\n");
  }
  return out;
}

int FusedProgramBuilder::AddStep(const NodeDef& original,
                                 absl::Span<const int> operands) {
  steps_.push_back({&original, {operands.begin(), operands.end()}});
  return num_inputs_ + static_cast<int>(steps_.size()) - 1;
}

void FusedProgramBuilder::WriteAttrs(NodeDef* def) const {
  const auto list = [def](const char* name) {
    AttrValue::ListValue* l = (*def->mutable_attr())[name].mutable_list();
    l->Clear();
    return l;
  };
  auto* ops = list("ops");
  auto* names = list("names");
  auto* arities = list("arities");
  auto* operands = list("operands");
  for (const Step& step : steps_) {
    NameAttrList* op = ops->add_func();
    op->set_name(step.original->op());
    for (const auto& [name, value] : step.original->attr()) {
      if (name[0] != '_') (*op->mutable_attr())[name] = value;
    }
    names->add_s(step.original->name());
    arities->add_i(static_cast<int64_t>(step.operands.size()));
    for (int operand : step.operands) operands->add_i(operand);
  }
  auto* results = list("results");
  for (int result : results_) results->add_i(result);
}

Status FusedProgramShape(InferenceContext* c) {
  FusedProgram program;
  TF_RETURN_IF_ERROR(
      FusedProgram::Parse(c->attrs(), c->num_inputs(), &program));
  if (static_cast<int>(program.results().size()) != c->num_outputs()) {
    return BadProgram("needs one result for each output");
  }
  std::vector<TensorShape> inputs(c->num_inputs());
  for (int i = 0; i < c->num_inputs(); ++i) {
    if (!c->ToPartialTensorShape(c->input(i)).AsTensorShape(&inputs[i])) {
      return shape_inference::UnknownShape(c);
    }
  }
  std::vector<TensorShape> values;
  TF_RETURN_IF_ERROR(program.InferShapes(
      inputs, [c](int input) { return c->input_tensor(input); }, &values));
  for (int i = 0; i < c->num_outputs(); ++i) {
    shape_inference::ShapeHandle shape;
    TF_RETURN_IF_ERROR(
        c->MakeShapeFromTensorShape(values[program.results()[i]], &shape));
    c->set_output(i, shape);
  }
  return OkStatus();
}

std::vector<std::string> FusedNames(const NodeDef& def) {
  std::vector<std::string> result;
  if (def.op().rfind("_Fused", 0) != 0) return result;
  const auto* names = FindList(AttrSlice(def), "names");
  if (names != nullptr) result.assign(names->s().begin(), names->s().end());
  return result;
}

}  // namespace tensorwright
