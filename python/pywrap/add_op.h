// SPDX-License-Identifier: Apache-2.0
// Adds one operation whose inputs are tensors already.
#ifndef TENSORWRIGHT_PYTHON_PYWRAP_ADD_OP_H_
#define TENSORWRIGHT_PYTHON_PYWRAP_ADD_OP_H_

#include "python/pywrap/handles.h"
// handles.h comes first: it includes Python.h.
#include <string>
#include <utility>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "absl/types/span.h"
#include "core/framework/attr_value.pb.h"
#include "core/framework/tensor.h"
#include "python/pywrap/op_info.h"

namespace tensorwright::pywrap {

using AttrList = std::vector<std::pair<std::string, AttrValue>>;

struct NewOp {
  const OpInfo* info = nullptr;
  std::string name;                              // Full and unique.
  absl::InlinedVector<TensorObject*, 6> inputs;  // Borrowed.
  absl::InlinedVector<int, 6> arg_sizes;         // As NodeArgs::arg_sizes.
  AttrList attrs;
};

// Adds the node and its handle; Graph's Python hooks take part unless the graph
// is plain.  The result is borrowed; nullptr with RuntimeError (finalized
// graph), TypeError (a dtype the op does not allow) or ValueError set.
OperationObject* AddOp(GraphObject* graph, NewOp* op);

// "foo" -> a unique name in the current scope; "foo/" -> "foo" itself.
// False with TypeError or ValueError set.
bool ResolveName(GraphObject* graph, PyObject* name, absl::string_view op_type,
                 std::string* out);

// A Const of that value; `name` as for ResolveName.  If `shape` is given, the
// value's last element fills the missing elements.  Borrowed output tensor.
TensorObject* AddConst(GraphObject* graph, const Tensor& value,
                       const TensorShape* shape, std::string name);

}  // namespace tensorwright::pywrap

#endif  // TENSORWRIGHT_PYTHON_PYWRAP_ADD_OP_H_
