// SPDX-License-Identifier: Apache-2.0
// OpRegistrationData: a registry's knowledge of an op.  Apart from op.h, so
// that a source that registers one does not read protobuf's headers.
#ifndef TENSORWRIGHT_CORE_FRAMEWORK_OP_REGISTRATION_H_
#define TENSORWRIGHT_CORE_FRAMEWORK_OP_REGISTRATION_H_

#include <string>
#include <vector>

#include "core/framework/op_def.pb.h"
#include "core/framework/op_def_builder.h"
#include "core/lib/core/source_location.h"

namespace tensorwright {

// Everything known about one op.  Owned by the registry, immutable, and alive
// until the program ends.
struct OpRegistrationData {
  OpRegistrationData() = default;
  explicit OpRegistrationData(const OpDef& def) : op_def(def) {}

  OpDef op_def;
  OpShapeInferenceFn shape_inference_fn;
  SourceLocation location;  // The place of REGISTER_OP.
  // The place of .SetShapeFn; unset if there is none.
  SourceLocation shape_fn_location;
  // The address of a function, not of a lambda.
  const void* shape_fn_address = nullptr;
  // The kinds of things outside the graph that kernels of the op reach
  // (OpDefBuilder::Touches), sorted, each once.  No part of the OpDef, which
  // has TensorFlow's fields only.
  std::vector<std::string> touches;

  // The function's C++ name, without the namespaces of this library; "lambda"
  // for one written in place; empty if there is none.  Slow: it reads the
  // library's symbols.
  std::string shape_fn_name() const;
};

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_FRAMEWORK_OP_REGISTRATION_H_
