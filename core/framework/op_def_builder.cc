// SPDX-License-Identifier: Apache-2.0
// OpDefBuilder: collects the strings of a REGISTER_OP block, and makes an OpDef
// of them.
#include "core/framework/op_def_builder.h"

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "core/framework/op_def_builder_internal.h"
#include "core/framework/op_def_util.h"
#include "core/framework/op_registration.h"
#include "core/framework/symbol_name.h"
#include "core/lib/core/errors.h"

namespace tensorwright {
namespace {

using op_def_builder_internal::ParseArgSpec;
using op_def_builder_internal::ParseAttrSpec;
using op_def_builder_internal::ParseDoc;

constexpr absl::string_view kTouchKinds[] = {"files", "host", "native code",
                                             "network", "python"};

}  // namespace

std::string OpRegistrationData::shape_fn_name() const {
  if (shape_inference_fn == nullptr) return "";
  const std::string name = FunctionName(shape_fn_address);
  return name.empty() ? "lambda" : name;
}

OpDefBuilder::OpDefBuilder(absl::string_view op_name, SourceLocation location)
    : name_(op_name), location_(location) {}

OpDefBuilder::OpDefBuilder(const OpDefBuilder& other) = default;
OpDefBuilder::OpDefBuilder(OpDefBuilder&& other) noexcept = default;
OpDefBuilder& OpDefBuilder::operator=(const OpDefBuilder& other) = default;
OpDefBuilder& OpDefBuilder::operator=(OpDefBuilder&& other) noexcept = default;
OpDefBuilder::~OpDefBuilder() = default;

OpDefBuilder& OpDefBuilder::Attr(absl::string_view spec) {
  attrs_.emplace_back(spec);
  return *this;
}

OpDefBuilder& OpDefBuilder::Input(absl::string_view spec) {
  inputs_.emplace_back(spec);
  return *this;
}

OpDefBuilder& OpDefBuilder::Output(absl::string_view spec) {
  outputs_.emplace_back(spec);
  return *this;
}

OpDefBuilder& OpDefBuilder::SetIsCommutative() {
  is_commutative_ = true;
  return *this;
}

OpDefBuilder& OpDefBuilder::SetIsAggregate() {
  is_aggregate_ = true;
  return *this;
}

OpDefBuilder& OpDefBuilder::SetIsStateful() {
  is_stateful_ = true;
  return *this;
}

OpDefBuilder& OpDefBuilder::SetAllowsUninitializedInput() {
  allows_uninitialized_input_ = true;
  return *this;
}

OpDefBuilder& OpDefBuilder::Touches(absl::string_view kind) {
  touches_.emplace_back(kind);
  return *this;
}

OpDefBuilder& OpDefBuilder::Deprecated(int version,
                                       absl::string_view explanation) {
  if (has_deprecation_) errors_.push_back("Deprecated called twice");
  has_deprecation_ = true;
  deprecation_version_ = version;
  deprecation_explanation_ = std::string(explanation);
  return *this;
}

OpDefBuilder& OpDefBuilder::Doc(absl::string_view text) {
  if (!doc_.empty()) errors_.push_back("Doc called twice");
  doc_ = std::string(text);
  return *this;
}

OpDefBuilder& OpDefBuilder::SetShapeFnImpl(OpShapeInferenceFn fn,
                                           const void* address,
                                           SourceLocation location) {
  if (shape_fn_ != nullptr) errors_.push_back("SetShapeFn called twice");
  shape_fn_ = std::move(fn);
  shape_fn_address_ = address;
  shape_fn_location_ = location;
  return *this;
}

Status OpDefBuilder::Finalize(OpRegistrationData* op_reg_data) {
  std::vector<std::string> problems = std::move(errors_);
  auto check = [&](const char* call, absl::string_view spec, const Status& s) {
    if (!s.ok()) {
      problems.push_back(absl::StrCat(call, "(\"", spec, "\"): ", s.message()));
    }
  };
  OpDef* op_def = &op_reg_data->op_def;
  op_def->set_name(name_);
  // Arguments refer to attrs, so these come first.
  for (const std::string& spec : attrs_) {
    check("Attr", spec, ParseAttrSpec(spec, op_def));
  }
  for (const std::string& spec : inputs_) {
    check("Input", spec, ParseArgSpec(spec, *op_def, op_def->add_input_arg()));
  }
  for (const std::string& spec : outputs_) {
    check("Output", spec,
          ParseArgSpec(spec, *op_def, op_def->add_output_arg()));
  }
  for (const std::string& kind : touches_) {
    if (std::find(std::begin(kTouchKinds), std::end(kTouchKinds), kind) ==
        std::end(kTouchKinds)) {
      problems.push_back(absl::StrCat("Touches(\"", kind,
                                      "\"): must be one of ",
                                      absl::StrJoin(kTouchKinds, ", ")));
    }
  }
  std::sort(touches_.begin(), touches_.end());
  touches_.erase(std::unique(touches_.begin(), touches_.end()), touches_.end());
  op_reg_data->touches = std::move(touches_);
  ParseDoc(doc_, op_def);
  op_def->set_is_commutative(is_commutative_);
  op_def->set_is_aggregate(is_aggregate_);
  op_def->set_is_stateful(is_stateful_);
  op_def->set_allows_uninitialized_input(allows_uninitialized_input_);
  if (has_deprecation_) {
    op_def->mutable_deprecation()->set_version(deprecation_version_);
    op_def->mutable_deprecation()->set_explanation(deprecation_explanation_);
  }
  op_reg_data->shape_inference_fn = std::move(shape_fn_);
  op_reg_data->shape_fn_address = shape_fn_address_;
  op_reg_data->shape_fn_location = shape_fn_location_;
  op_reg_data->location = location_;

  if (problems.empty()) {
    Status s = ValidateOpDef(*op_def);
    if (!s.ok()) problems.push_back(s.error_message());
  }
  if (problems.empty()) return OkStatus();
  return errors::InvalidArgument("Op ", name_, " is registered wrongly at ",
                                 location_.file, ":", location_.line, ": ",
                                 absl::StrJoin(problems, "; "));
}

}  // namespace tensorwright
