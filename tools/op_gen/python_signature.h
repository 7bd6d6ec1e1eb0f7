// SPDX-License-Identifier: Apache-2.0
// Names, types, defaults and layout of generated Python, shared by the .py and
// the .pyi printer.
#ifndef TENSORWRIGHT_TOOLS_OP_GEN_PYTHON_SIGNATURE_H_
#define TENSORWRIGHT_TOOLS_OP_GEN_PYTHON_SIGNATURE_H_

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "core/framework/attr_value.pb.h"
#include "tools/op_gen/op_model.h"

namespace tensorwright {
namespace op_gen {

// Conv2DBackpropInput -> conv2d_backprop_input, TopKV2 -> top_kv2, LRNGrad ->
// lrn_grad.
std::string SnakeCase(absl::string_view camel_case);

// The parameter's name of an argument or attr: it ends in "_" if Python, or the
// function itself, uses the name otherwise (lambda_, name_).
std::string ParameterName(absl::string_view name);

// True if `name` cannot be assigned to.
bool IsPythonKeyword(absl::string_view name);

// The name under which the function is defined, and the other name it has, ""
// if none.  A hidden op, and one whose name is that of a built-in function, is
// _sum with the alias sum; _assert has no alias.
struct FunctionNames {
  std::string defined;
  std::string alias;
};
FunctionNames NamesOf(const OpModel& op);

// "float32", as in dtypes.float32, where an OpDef has "float".
std::string DtypeName(DataType dtype);

// The default as a Python expression: True, "SAME", (1, 1), _dtypes.int32,
// None.
std::string PythonValue(const AttrValue& value);
// "text" with quotes and escapes.
std::string PythonString(absl::string_view text);

// "input: _TensorLike", ..., "name: str | None = None".
std::vector<std::string> Parameters(const OpModel& op);

// The type that the function returns: _ops.Tensor, list[_ops.Tensor],
// _ops.Operation or the class of a tuple.
std::string ReturnType(const OpModel& op);
// The type of one output.
std::string OutputType(const OpDef::ArgDef& arg);
// _TopKV2Output for an op with several outputs.
std::string TupleClass(const OpModel& op);

// `prefix` + open + items + close + `suffix` on one line if it fits, else one
// item on each line, laid out as by ruff.  `prefix` starts at column `indent`;
// the result has no newline at its end.
std::string Bracketed(int indent, absl::string_view prefix,
                      absl::string_view open,
                      const std::vector<std::string>& items,
                      absl::string_view close, absl::string_view suffix);

inline constexpr int kLineWidth = 88;

// Tells which of the imports and aliases at the top of a file its functions
// need.
struct PythonNeeds {
  bool tensor_like = false;
  bool dtype_like = false;
  bool shape_like = false;
  bool dtypes = false;
  bool sequence = false;
  bool tuples = false;
  bool ops = false;
};
PythonNeeds NeedsOf(const FamilyModel& family);

}  // namespace op_gen
}  // namespace tensorwright

#endif  // TENSORWRIGHT_TOOLS_OP_GEN_PYTHON_SIGNATURE_H_
