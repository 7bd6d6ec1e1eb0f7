// SPDX-License-Identifier: Apache-2.0
// OpDefBuilder: collects the strings of a REGISTER_OP block, and makes an OpDef
// of them.
#include "core/framework/op_def_builder.h"

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
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

// The parts of OpDefBuilder::capabilities_.
constexpr absl::string_view kTouches = "touches:";
constexpr absl::string_view kNeeds = "needs:";
constexpr absl::string_view kLibrary = "library:";

// Stand in Touches for two kinds and for none.
constexpr absl::string_view kFiles = "files";
constexpr absl::string_view kNothing = "nothing";
// No kind, but a phrase that begins with it; see ChanceOf.
constexpr absl::string_view kChance = "chance";

void SortUnique(std::vector<std::string>* kinds) {
  std::sort(kinds->begin(), kinds->end());
  kinds->erase(std::unique(kinds->begin(), kinds->end()), kinds->end());
}

// Adds a problem for each of `kinds` that `call` does not know.
void CheckKinds(const char* call, const std::vector<std::string>& kinds,
                bool is_need, std::vector<std::string>* problems) {
  std::vector<absl::string_view> known;
  for (const CapabilityKind& kind : CapabilityKinds()) {
    if (kind.is_need == is_need) known.push_back(kind.name);
  }
  for (const std::string& kind : kinds) {
    if (std::find(known.begin(), known.end(), kind) != known.end()) continue;
    problems->push_back(absl::StrCat(
        call, "(\"", kind, "\"): must be one of ", absl::StrJoin(known, ", "),
        is_need ? "" : ", files, nothing, chance"));
  }
}

// Sets the touched kinds; gives "files" and "nothing" their meaning.
void ReadTouches(const std::vector<std::string>& touches,
                 std::vector<std::string>* kinds,
                 std::vector<std::string>* problems) {
  bool nothing = false;
  for (const std::string& kind : touches) {
    if (kind == kFiles) {
      kinds->insert(kinds->end(), {"files read", "files written"});
    } else if (kind == kNothing) {
      nothing = true;
    } else {
      kinds->push_back(kind);
    }
  }
  SortUnique(kinds);
  if (nothing && !kinds->empty()) {
    problems->push_back(absl::StrCat("Touches(\"nothing\") and Touches(\"",
                                     kinds->front(),
                                     "\") contradict each other"));
  }
  CheckKinds("Touches", *kinds, /*is_need=*/false, problems);
}

// Is it a phrase that ChanceOf explains?
bool IsChance(absl::string_view phrase) {
  if (!absl::ConsumePrefix(&phrase, kChance)) return false;
  if (phrase.empty()) return true;
  if (!absl::ConsumePrefix(&phrase, " unless ")) return false;
  const size_t equals = phrase.find('=');
  if (equals == absl::string_view::npos) return phrase == "seed";
  return equals > 0 && equals + 1 < phrase.size();
}

// Sets what a builder's list of capabilities says.
void ReadCapabilities(const std::vector<std::string>& capabilities,
                      OpRegistrationData* data,
                      std::vector<std::string>* problems) {
  std::vector<std::string> touches;
  for (absl::string_view said : capabilities) {
    if (absl::ConsumePrefix(&said, kTouches)) {
      if (IsChance(said)) {
        data->chance = std::string(said);
      } else {
        touches.emplace_back(said);
      }
    } else if (absl::ConsumePrefix(&said, kNeeds)) {
      data->needs.emplace_back(said);
    } else if (absl::ConsumePrefix(&said, kLibrary)) {
      const size_t colon = said.find(':');
      if (!absl::SimpleAtoi(said.substr(0, colon), &data->library)) continue;
      data->library_file = std::string(said.substr(colon + 1));
    }
  }
  data->claims_capabilities =
      !touches.empty() || !data->needs.empty() || !data->chance.empty();
  ReadTouches(touches, &data->touches, problems);
  SortUnique(&data->needs);
  CheckKinds("Needs", data->needs, /*is_need=*/true, problems);
}

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
  capabilities_.push_back(absl::StrCat(kTouches, kind));
  return *this;
}

OpDefBuilder& OpDefBuilder::Needs(absl::string_view kind) {
  capabilities_.push_back(absl::StrCat(kNeeds, kind));
  return *this;
}

OpDefBuilder& OpDefBuilder::SetLibrary(const std::string& file, int number) {
  capabilities_.push_back(absl::StrCat(kLibrary, number, ":", file));
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
  ReadCapabilities(capabilities_, op_reg_data, &problems);
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
