// SPDX-License-Identifier: Apache-2.0
// InferenceContext: construction, running, inputs and outputs, reading shapes.
#include "core/framework/shape_inference.h"

#include <algorithm>
#include <memory>
#include <new>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"
#include "core/framework/op_def.pb.h"
#include "core/framework/shape_inference_internal.h"
#include "core/framework/tensor_shape.pb.h"
#include "core/lib/core/catch_exceptions.h"

namespace tensorwright {
namespace shape_inference {

// ---- Construction ----------------------------------------------------------

namespace {

// An error shows this many elements of a known input.
constexpr int64_t kShownValues = 32;

// Empty for attrs that belong to no node.
std::string NodeNameOf(const AttrSlice& attrs) {
  // "{{node <name>}} = ...".
  const std::string summary = attrs.SummarizeNode();
  absl::string_view name = summary;
  if (!absl::ConsumePrefix(&name, "{{node ")) return "";
  return std::string(name.substr(0, name.find("}}")));
}

}  // namespace

InferenceContext::InferenceContext(
    int graph_def_version, AttrSlice attrs, const OpDef& op_def,
    absl::Span<const PartialTensorShape> input_shapes,
    absl::Span<const Tensor* const> input_tensors,
    absl::Span<const PartialTensorShape> input_tensors_as_shapes)
    : graph_def_version_(graph_def_version), attrs_(attrs), op_def_(op_def) {
  for (const PartialTensorShape& shape : input_shapes) {
    inputs_.push_back(shape.unknown_rank() ? UnknownShape()
                                           : ShapeFromSizes(shape.dim_sizes()));
  }
  Init(static_cast<int>(input_shapes.size()), input_tensors);
  for (const PartialTensorShape& shape : input_tensors_as_shapes) {
    // A shape of which nothing is known counts as none given.
    input_tensors_as_shapes_.push_back(shape.unknown_rank()
                                           ? ShapeHandle()
                                           : ShapeFromSizes(shape.dim_sizes()));
  }
}

InferenceContext::InferenceContext(
    int graph_def_version, AttrSlice attrs, const OpDef& op_def,
    absl::Span<const TensorShape> input_shapes,
    absl::Span<const Tensor* const> input_tensors)
    : graph_def_version_(graph_def_version), attrs_(attrs), op_def_(op_def) {
  for (const TensorShape& shape : input_shapes) {
    inputs_.push_back(ShapeFromSizes(shape.dim_sizes()));
  }
  Init(static_cast<int>(input_shapes.size()), input_tensors);
}

InferenceContext::~InferenceContext() = default;

void InferenceContext::Init(int num_inputs,
                            absl::Span<const Tensor* const> input_tensors) {
  requested_input_tensor_.assign(num_inputs, false);
  requested_input_tensor_as_partial_shape_.assign(num_inputs, false);
  input_tensors_.assign(num_inputs, nullptr);
  const size_t given =
      std::min<size_t>(input_tensors.size(), input_tensors_.size());
  std::copy_n(input_tensors.begin(), given, input_tensors_.begin());
  input_handle_shapes_and_types_.resize(num_inputs);

  construction_status_ =
      NameRangesForNode(attrs_, op_def_, &input_ranges_, &output_ranges_);
  if (!construction_status_.ok()) return;
  const int expected = input_ranges_.empty() ? 0 : input_ranges_.back().stop;
  if (num_inputs != expected) {
    construction_status_ = errors::InvalidArgument(
        op_def_.name(), ": takes ", expected, " inputs, got ", num_inputs);
    return;
  }
  outputs_.resize(output_ranges_.empty() ? 0 : output_ranges_.back().stop);
  output_handle_shapes_and_types_.resize(outputs_.size());
}

void InferenceContext::Arena::AddBlock(size_t bytes) {
  left_ = std::max<size_t>(bytes, 4096);
  blocks_.emplace_back(new char[left_]);
  next_ = blocks_.back().get();
}

absl::Span<DimensionHandle> InferenceContext::NewDims(size_t n) {
  if (n == 0) return {};
  auto* dims = static_cast<DimensionHandle*>(
      arena_.Allocate(n * sizeof(DimensionHandle)));
  std::uninitialized_default_construct_n(dims, n);
  return absl::Span<DimensionHandle>(dims, n);
}

ShapeHandle InferenceContext::NewShape(absl::Span<const DimensionHandle> dims) {
  void* memory = arena_.Allocate(sizeof(Shape));
  return ShapeHandle(new (memory)
                         Shape(static_cast<int32_t>(dims.size()), dims.data()));
}

ShapeHandle InferenceContext::ShapeFromSizes(absl::Span<const int64_t> sizes) {
  auto dims = NewDims(sizes.size());
  for (size_t i = 0; i < sizes.size(); ++i) dims[i] = MakeDim(sizes[i]);
  return NewShape(dims);
}

DimensionHandle InferenceContext::MakeDim(DimensionOrConstant d) {
  if (d.dim.IsSet()) return d.dim;
  void* memory = arena_.Allocate(sizeof(Dimension));
  return DimensionHandle(new (memory) Dimension(std::max(d.val, kUnknownDim)));
}

ShapeHandle InferenceContext::UnknownShape() {
  void* memory = arena_.Allocate(sizeof(Shape));
  return ShapeHandle(new (memory) Shape(kUnknownRank, nullptr));
}

// ---- Running ---------------------------------------------------------------

Status InferenceContext::Run(
    const std::function<Status(InferenceContext* c)>& fn) {
  TF_RETURN_IF_ERROR(construction_status_);
  Status s;
  s.Update(CatchExceptions([&] { s = fn(this); },
                           [] { return "the shape function"; }));
  s.Update(usage_status_);
  if (!s.ok()) return Describe(s);
  for (ShapeHandle& output : outputs_) {
    if (!output.IsSet()) output = UnknownShape();
  }
  return OkStatus();
}

Status InferenceContext::Describe(const Status& status) const {
  // The error comes from a node within the fused one, and describes that.
  if (absl::StartsWith(op_def_.name(), "_Fused")) return status;
  // An error names a node that a pass put in a public op's place by that op.
  const absl::string_view op = absl::StripPrefix(op_def_.name(), "_");
  std::string text = status.error_message();
  if (!absl::StartsWith(text, absl::StrCat(op, ":"))) {
    text = absl::StrCat(op, ": ", text);
  }
  // These are TensorFlow's words, which programs match.
  if (const std::string name = NodeNameOf(attrs_); !name.empty()) {
    absl::StrAppend(&text, " for '", name, "'");
  }
  absl::StrAppend(&text, " (op: '", op, "')");
  if (!inputs_.empty()) {
    std::vector<std::string> shapes, values;
    for (int i = 0; i < num_inputs(); ++i) {
      shapes.push_back(DebugString(inputs_[i]));
      if (requested_input_tensor_[i] && input_tensors_[i] != nullptr) {
        values.push_back(
            absl::StrCat("input[", i, "] = <",
                         input_tensors_[i]->SummarizeValue(kShownValues), ">"));
      }
    }
    absl::StrAppend(&text, " with input shapes: ", absl::StrJoin(shapes, ", "));
    if (!values.empty()) {
      absl::StrAppend(&text, " and with computed input tensors: ",
                      absl::StrJoin(values, ", "));
    }
  }
  absl::StrAppend(&text, ".");
  return errors::WithMessage(status, text);
}

bool InferenceContext::requested_any_value() const {
  for (int i = 0; i < num_inputs(); ++i) {
    if (requested_input_tensor_[i] ||
        requested_input_tensor_as_partial_shape_[i]) {
      return true;
    }
  }
  return false;
}

DataType InferenceContext::output_type(int idx) const {
  DataTypeVector types;
  if (!OutputTypesForNode(attrs_, op_def_, &types).ok() || idx < 0 ||
      static_cast<size_t>(idx) >= types.size()) {
    return DT_INVALID;
  }
  return types[idx];
}

// ---- Inputs and outputs ----------------------------------------------------

namespace {

Status Slice(const ArgRanges& ranges, absl::string_view name, const char* side,
             absl::Span<const ShapeHandle> all,
             std::vector<ShapeHandle>* result) {
  result->clear();
  const ArgRange* range = FindArgRange(ranges, name);
  if (range == nullptr) {
    return errors::InvalidArgument("there is no ", side, " '", name, "'");
  }
  result->assign(all.begin() + range->start, all.begin() + range->stop);
  return OkStatus();
}

}  // namespace

Status InferenceContext::input(absl::string_view input_name,
                               std::vector<ShapeHandle>* output) const {
  return Slice(input_ranges_, input_name, "input", inputs_, output);
}

Status InferenceContext::output(absl::string_view output_name,
                                std::vector<ShapeHandle>* output) const {
  return Slice(output_ranges_, output_name, "output", outputs_, output);
}

const Tensor* InferenceContext::input_tensor(int idx) {
  if (idx < 0 || idx >= num_inputs()) return nullptr;
  requested_input_tensor_[idx] = true;
  return input_tensors_[idx];
}

ShapeHandle InferenceContext::NoSuchInput(int64_t idx) const {
  usage_status_.Update(
      errors::Internal(op_def_.name(), ": the shape function asks for input ",
                       idx, ", but the op has ", num_inputs()));
  // The context is const for its callers, and keeps all shapes made for them.
  return const_cast<InferenceContext*>(this)->UnknownShape();
}

void InferenceContext::set_output(int idx, ShapeHandle shape) {
  if (idx < 0 || idx >= num_outputs()) {
    usage_status_.Update(
        errors::Internal(op_def_.name(), ": the shape function sets output ",
                         idx, ", but the op has ", num_outputs()));
    return;
  }
  outputs_[idx] = shape;
}

Status InferenceContext::set_output(absl::string_view output_name,
                                    absl::Span<const ShapeHandle> shapes) {
  const ArgRange* range = FindArgRange(output_ranges_, output_name);
  if (range == nullptr) {
    return errors::InvalidArgument("there is no output '", output_name, "'");
  }
  if (shapes.size() != static_cast<size_t>(range->stop - range->start)) {
    return errors::InvalidArgument(
        "output '", output_name, "' has ", range->stop - range->start,
        " tensors, the shape function sets ", shapes.size());
  }
  std::copy(shapes.begin(), shapes.end(), outputs_.begin() + range->start);
  return OkStatus();
}

bool InferenceContext::MergeInput(int idx, ShapeHandle shape) {
  ShapeHandle merged;
  if (!Merge(inputs_[idx], shape, &merged).ok() ||
      merged.SameHandle(inputs_[idx])) {
    return false;
  }
  inputs_[idx] = merged;
  return true;
}

bool InferenceContext::RelaxInput(int idx, ShapeHandle shape) {
  ShapeHandle relaxed;
  Relax(inputs_[idx], shape, &relaxed);
  if (relaxed.SameHandle(inputs_[idx])) return false;
  inputs_[idx] = relaxed;
  return true;
}

// ---- Looking at shapes and dimensions --------------------------------------

int32_t InferenceContext::Rank(ShapeHandle s) {
  return s.IsSet() ? s->rank : kUnknownRank;
}

bool InferenceContext::RankKnown(ShapeHandle s) {
  return Rank(s) != kUnknownRank;
}

int64_t InferenceContext::Value(DimensionOrConstant d) {
  return d.dim.IsSet() ? d.dim->value : d.val;
}

bool InferenceContext::FullyDefined(ShapeHandle s) {
  if (!RankKnown(s)) return false;
  for (int i = 0; i < s->rank; ++i) {
    if (!ValueKnown(s->dims[i])) return false;
  }
  return true;
}

DimensionHandle InferenceContext::Dim(ShapeHandle s, int64_t idx) {
  const int32_t rank = Rank(s);
  if (idx < 0) idx += rank;
  if (rank == kUnknownRank || idx < 0 || idx >= rank) return UnknownDim();
  return s->dims[idx];
}

DimensionHandle InferenceContext::DimKnownRank(ShapeHandle s, int64_t idx) {
  return s->dims[idx < 0 ? idx + s->rank : idx];
}

DimensionHandle InferenceContext::NumElements(ShapeHandle s) {
  if (!FullyDefined(s)) return UnknownDim();
  int64_t product = 1;
  for (int i = 0; i < s->rank; ++i) {
    if (__builtin_mul_overflow(product, Value(s->dims[i]), &product)) {
      return UnknownDim();
    }
  }
  return MakeDim(product);
}

std::string InferenceContext::DebugString(ShapeHandle s) const {
  if (!RankKnown(s)) return "?";
  std::vector<std::string> dims;
  for (int i = 0; i < s->rank; ++i) dims.push_back(DebugString(s->dims[i]));
  return absl::StrCat("[", absl::StrJoin(dims, ","), "]");
}

std::string InferenceContext::DebugString(DimensionHandle d) const {
  return ValueKnown(d) ? absl::StrCat(Value(d)) : "?";
}

std::string InferenceContext::DebugString() const {
  std::vector<std::string> inputs, outputs;
  for (ShapeHandle s : inputs_) inputs.push_back(DebugString(s));
  for (ShapeHandle s : outputs_) outputs.push_back(DebugString(s));
  return absl::StrCat(op_def_.name(), ": ", absl::StrJoin(inputs, ", "), " -> ",
                      absl::StrJoin(outputs, ", "));
}

std::string InferenceContext::NameOf(ShapeHandle s) const {
  for (int i = 0; i < num_inputs(); ++i) {
    if (!inputs_[i].SameHandle(s)) continue;
    for (size_t a = 0; a < input_ranges_.size(); ++a) {
      const ArgRange& range = input_ranges_[a];
      if (i < range.start || i >= range.stop) continue;
      const OpDef::ArgDef& arg = op_def_.input_arg(static_cast<int>(a));
      if (arg.number_attr().empty() && arg.type_list_attr().empty()) {
        return range.name;
      }
      return absl::StrCat(range.name, "[", i - range.start, "]");
    }
  }
  return "shape";
}

void InferenceContext::ShapeHandleToProto(ShapeHandle s,
                                          TensorShapeProto* proto) const {
  ToPartialTensorShape(s).AsProto(proto);
}

PartialTensorShape InferenceContext::ToPartialTensorShape(ShapeHandle s) const {
  if (!RankKnown(s)) return PartialTensorShape();
  absl::InlinedVector<int64_t, 8> sizes;
  for (int i = 0; i < s->rank; ++i) sizes.push_back(Value(s->dims[i]));
  return PartialTensorShape(absl::Span<const int64_t>(sizes));
}

}  // namespace shape_inference
}  // namespace tensorwright
