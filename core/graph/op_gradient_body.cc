// SPDX-License-Identifier: Apache-2.0
// Makes gradients of ops that are bodies of functions, and checks them against
// the op, so that their author hears of a mistake at once.

#include <string>

#include "absl/strings/str_cat.h"
#include "core/framework/attr_value.pb.h"
#include "core/framework/function.pb.h"
#include "core/framework/node_def_util.h"
#include "core/framework/op.h"
#include "core/framework/op_gradient.h"
#include "core/graph/function_body.h"
#include "core/lib/core/catch_exceptions.h"
#include "core/lib/core/errors.h"

namespace tensorwright {
namespace {

std::string At(SourceLocation location) {
  return absl::StrCat(location.file, ":", location.line);
}

// Compares the function's types of one side with the expected ones.
Status CheckTypes(absl::string_view what, const DataTypeVector& found,
                  const DataTypeVector& expected) {
  if (found == expected) return OkStatus();
  return errors::InvalidArgument(what, DataTypeSliceString(found),
                                 ", which should be ",
                                 DataTypeSliceString(expected));
}

Status Make(const gradient::OpGradient& gradient, const OpDef& op,
            const AttrSlice& attrs, const OpRegistryInterface* ops,
            FunctionDef* def) {
  Status made;
  const Status thrown =
      CatchExceptions([&] { made = gradient.creator(attrs, def); },
                      [] { return std::string("it"); });
  TF_RETURN_IF_ERROR(thrown);
  TF_RETURN_IF_ERROR(made);
  // Define() without a name leaves none.
  def->mutable_signature()->set_name(absl::StrCat(op.name(), "Gradient"));
  FunctionBody body;
  TF_RETURN_IF_ERROR(InstantiateFunctionBody(*def, attrs, ops, &body));
  DataTypeVector inputs, outputs;
  for (const OpDef::ArgDef& arg : op.input_arg()) {
    TF_RETURN_IF_ERROR(AddArgToSig(attrs, arg, &inputs));
  }
  for (const OpDef::ArgDef& arg : op.output_arg()) {
    TF_RETURN_IF_ERROR(AddArgToSig(attrs, arg, &outputs));
  }
  for (DataType& type : inputs) type = BaseType(type);
  DataTypeVector args = inputs;
  for (const DataType type : outputs) args.push_back(BaseType(type));
  TF_RETURN_IF_ERROR(CheckTypes("it takes ", body.arg_types, args));
  return CheckTypes("it gives ", body.ret_types, inputs);
}

}  // namespace

Status MakeOpGradient(const std::string& op, const AttrSlice& attrs,
                      const OpRegistryInterface* ops, FunctionDef* def) {
  const gradient::OpGradient* const gradient = gradient::FindOpGradient(op);
  if (gradient == nullptr) {
    return errors::NotFound("No gradient is registered for op ", op);
  }
  if (gradient->creator == nullptr) {
    return errors::InvalidArgument("Op ", op, " has no gradient, as ",
                                   At(gradient->location), " says");
  }
  const OpDef* op_def = nullptr;
  TF_RETURN_IF_ERROR(ops->LookUpOpDef(op, &op_def));
  const Status status = Make(*gradient, *op_def, attrs, ops, def);
  if (status.ok()) return status;
  return errors::WithMessage(
      status, absl::StrCat("The gradient of op ", op, ", registered at ",
                           At(gradient->location), ": ", status.message()));
}

}  // namespace tensorwright
