// SPDX-License-Identifier: Apache-2.0
// Parses the strings of a REGISTER_OP block; for the sources of OpDefBuilder
// only.
#ifndef TENSORWRIGHT_CORE_FRAMEWORK_OP_DEF_BUILDER_INTERNAL_H_
#define TENSORWRIGHT_CORE_FRAMEWORK_OP_DEF_BUILDER_INTERNAL_H_

#include "absl/strings/string_view.h"
#include "core/framework/op_def.pb.h"
#include "core/lib/core/status.h"

namespace tensorwright {
namespace op_def_builder_internal {

// Adds the attr that `spec`, given to OpDefBuilder::Attr(), describes.
// InvalidArgument says what is wrong with it; part of the attr may be there.
Status ParseAttrSpec(absl::string_view spec, OpDef* op_def);

// Sets *arg to the argument that `spec`, given to Input() or Output(),
// describes.  Attrs that it names must be in `op_def`.  InvalidArgument says
// what is wrong with it.
Status ParseArgSpec(absl::string_view spec, const OpDef& op_def,
                    OpDef::ArgDef* arg);

// Sets the descriptions of an op, its arguments and its attrs.  The first line
// of `doc` is the summary; "name: text" at the start of a line opens the
// description of that argument or attr; the rest describes the op.
void ParseDoc(absl::string_view doc, OpDef* op_def);

}  // namespace op_def_builder_internal
}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_FRAMEWORK_OP_DEF_BUILDER_INTERNAL_H_
