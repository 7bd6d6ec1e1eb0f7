// SPDX-License-Identifier: Apache-2.0
// The facts about ops that a generator of wrappers needs, whatever language it
// prints.
#ifndef TENSORWRIGHT_TOOLS_OP_GEN_OP_MODEL_H_
#define TENSORWRIGHT_TOOLS_OP_GEN_OP_MODEL_H_

#include <set>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "core/framework/op.h"
#include "core/framework/op_def.pb.h"
#include "core/framework/op_registration.h"
#include "core/lib/core/source_location.h"
#include "core/lib/core/status.h"

namespace tensorwright {
namespace op_gen {

// One op as a function.  Points into the registration, which lives as long as
// the program.
struct OpModel {
  const OpDef* def = nullptr;
  SourceLocation location;
  // Listed as hidden: the function is for the library's own use.
  bool hidden = false;

  // The function's parameters: first the inputs, then the attrs that inputs do
  // not determine, those without a default before those with one; each group in
  // the order of the OpDef.
  std::vector<const OpDef::ArgDef*> inputs;
  std::vector<const OpDef::AttrDef*> attrs;

  const std::string& name() const { return def->name(); }
  const OpDef::AttrDef* FindAttr(absl::string_view attr_name) const;
};

// The functions of one generated file.
struct FamilyModel {
  std::string name;
  std::vector<OpModel> ops;  // By name.
};

// The attrs of an op that follow from the types and lengths of its inputs.
std::set<std::string> InferredAttrs(const OpDef& def);

// True for an argument that is a list of tensors.
bool IsList(const OpDef::ArgDef& arg);

// The family of a source file: nn for core/ops/nn_ops.cc and
// core/ops/nn_ops_conv.cc, user for any file in a folder user_ops, and the
// whole stem for a file without "_ops": no_op for core/ops/no_op.cc.
std::string FamilyOfFile(absl::string_view path);

OpModel MakeOpModel(const OpRegistrationData& registration, bool hidden);

// The ops of a family among `registrations`, or all for family "".  Ops whose
// name starts with "_" are internal and left out.  A name in `hidden` that the
// family lacks is no mistake: the op may come later.
FamilyModel MakeFamily(
    absl::string_view family, const std::set<std::string>& hidden,
    const std::vector<const OpRegistrationData*>& registrations);

// MakeFamily on the ops linked into the program; fails if a registration is
// broken.
Status LoadFamily(absl::string_view family, const std::set<std::string>& hidden,
                  FamilyModel* model);

}  // namespace op_gen
}  // namespace tensorwright

#endif  // TENSORWRIGHT_TOOLS_OP_GEN_OP_MODEL_H_
