// SPDX-License-Identifier: Apache-2.0
// Checking and printing OpDefs.
#ifndef TENSORWRIGHT_CORE_FRAMEWORK_OP_DEF_UTIL_H_
#define TENSORWRIGHT_CORE_FRAMEWORK_OP_DEF_UTIL_H_

#include <string>

#include "absl/strings/string_view.h"
#include "core/framework/op_def.pb.h"
#include "core/lib/core/status.h"

namespace tensorwright {

// Checks that the definition is consistent: names are well formed and unique,
// every attr that an argument refers to exists and has the right type, defaults
// are allowed.
Status ValidateOpDef(const OpDef& op_def);

// InvalidArgument if the op was removed at or before that GraphDef version.
Status CheckOpDeprecation(const OpDef& op_def, int graph_def_version);

// "Op<name=MatMul; signature=a:T, b:T -> product:T; attr=...>".
std::string SummarizeOpDef(const OpDef& op_def);
// The text "a:T, b:T" for the arguments of one side.
std::string SummarizeArgs(
    const google::protobuf::RepeatedPtrField<OpDef::ArgDef>& args);

// nullptr if there is none of that name.
const OpDef::AttrDef* FindAttr(absl::string_view name, const OpDef& op_def);
OpDef::AttrDef* FindAttrMutable(absl::string_view name, OpDef* op_def);
const OpDef::ArgDef* FindInputArg(absl::string_view name, const OpDef& op_def);

// Drops everything that is prose.
void RemoveDescriptionsFromOpDef(OpDef* op_def);
void RemoveDescriptionsFromOpList(OpList* op_list);

// Do two definitions say the same?  Prose, the order of attrs and that of the
// values an attr allows do not count.
bool SameOpDef(const OpDef& a, const OpDef& b);

// The lines of the definition that two differ in, where SameOpDef says no:
// "  was  input x:float\n  now  input x:double\n"; empty if it says yes.
std::string OpDefChanges(const OpDef& before, const OpDef& now);

// Can a graph made with `old_op` be read with `new_op`?  InvalidArgument that
// says which difference forbids it.
Status OpDefCompatible(const OpDef& old_op, const OpDef& new_op);

// Does the op allow that value?  (A type among `allowed_values`, ...)
bool IsTypeAllowed(const OpDef::AttrDef& attr, DataType type);

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_FRAMEWORK_OP_DEF_UTIL_H_
