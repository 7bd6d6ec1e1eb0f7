// SPDX-License-Identifier: Apache-2.0
// function.h, with the protos of functions, and FunctionDefHelper, which writes
// functions, above all gradients of ops (core/framework/op_gradient.h).
#ifndef TENSORWRIGHT_CORE_COMPAT_FRAMEWORK_FUNCTION_H_
#define TENSORWRIGHT_CORE_COMPAT_FRAMEWORK_FUNCTION_H_

#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "core/compat/framework/node_def_util.h"
#include "core/framework/attr_value.pb.h"
#include "core/framework/function.h"
#include "core/framework/function.pb.h"
#include "core/framework/op_gradient.h"
#include "core/framework/tensor.h"
#include "core/framework/tensor_types.h"
#include "core/framework/types.h"

namespace tensorwright {

// Makes FunctionDefs.  Mistakes are no errors here: using the resulting
// function gives the error.
//
//   using FDH = FunctionDefHelper;
//   FDH::Define("Twice", {"x: T"}, {"y: T"}, {"T: {float, double}"},
//               {{{"y"}, "AddN", {"x", "x"}, {{"T", "$T"}, {"N", 2}}}});
class FunctionDefHelper {
 public:
  // The value of an attr.  Text that begins with $ stands for an attr of the
  // function.
  struct AttrValueWrapper {
    AttrValueWrapper() = default;
    AttrValueWrapper(const char* text) { FromText(text); }         // NOLINT
    AttrValueWrapper(const std::string& text) { FromText(text); }  // NOLINT
    AttrValueWrapper(absl::string_view text) { FromText(text); }   // NOLINT
    template <typename T>
    AttrValueWrapper(const T& value) {  // NOLINT: any value is one.
      SetAttrValue(value, &proto);
    }

    AttrValue proto;

   private:
    void FromText(absl::string_view text);
  };
  using Attrs = std::vector<std::pair<std::string, AttrValueWrapper>>;

  // A node of a body.
  struct Node {
    // In Define, the names of its outputs; the first of them is the node's own.
    // In Create, the node's name alone.
    std::vector<std::string> ret;
    std::string op;
    // In Define, names of arguments of the function or of outputs of nodes; in
    // Create, inputs in the form of a FunctionDef: "x", "node:output:0".
    std::vector<std::string> arg;
    Attrs attr;
    // Nodes that run before this: names as in `arg`.
    std::vector<std::string> dep;
    std::string device;

    // The node in the form of Create.
    NodeDef ToNodeDef() const;
  };

  // The value of an attr that names a function.
  static AttrValueWrapper FunctionRef(
      const std::string& name,
      absl::Span<const std::pair<std::string, AttrValueWrapper>> attrs = {});
  static AttrValueWrapper FunctionRef(
      const std::string& name,
      std::initializer_list<std::pair<std::string, AttrValueWrapper>> attrs) {
    return FunctionRef(name, Attrs(attrs));
  }

  // Arguments, results and attrs are written as in REGISTER_OP. ret_def names
  // the body's tensor for each result.
  static FunctionDef Create(
      const std::string& function_name, const std::vector<std::string>& in_def,
      const std::vector<std::string>& out_def,
      const std::vector<std::string>& attr_def, const std::vector<Node>& nodes,
      const std::vector<std::pair<std::string, std::string>>& ret_def,
      const std::vector<std::pair<std::string, std::string>>& control_ret_def =
          {});

  // The same, with a name for each output of a node; outputs with the names of
  // results are the results.  Ops of nodes must be registered.
  static FunctionDef Define(const std::string& function_name,
                            const std::vector<std::string>& arg_def,
                            const std::vector<std::string>& ret_def,
                            const std::vector<std::string>& attr_def,
                            const std::vector<Node>& nodes);
  // The same without a name, for gradients, which get one from their op.
  static FunctionDef Define(const std::vector<std::string>& arg_def,
                            const std::vector<std::string>& ret_def,
                            const std::vector<std::string>& attr_def,
                            const std::vector<Node>& nodes) {
    return Define("_", arg_def, ret_def, attr_def, nodes);
  }

  // A constant: a vector or a scalar.
  template <typename T>
  static Node Const(const std::string& name, absl::Span<const T> values) {
    Tensor tensor(DataTypeToEnum<T>::value,
                  TensorShape({static_cast<int64_t>(values.size())}));
    for (size_t i = 0; i < values.size(); ++i) {
      tensor.template flat<T>()(static_cast<int64_t>(i)) = values[i];
    }
    return ConstNode(name, tensor);
  }
  template <typename T>
  static Node Const(const std::string& name, const T& value) {
    Tensor tensor(DataTypeToEnum<T>::value, TensorShape({}));
    tensor.template scalar<T>()() = value;
    return ConstNode(name, tensor);
  }

 private:
  static Node ConstNode(const std::string& name, const Tensor& value);
};

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_COMPAT_FRAMEWORK_FUNCTION_H_
