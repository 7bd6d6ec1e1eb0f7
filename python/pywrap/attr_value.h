// SPDX-License-Identifier: Apache-2.0
// Python values <-> AttrValue.
#ifndef TENSORWRIGHT_PYTHON_PYWRAP_ATTR_VALUE_H_
#define TENSORWRIGHT_PYTHON_PYWRAP_ATTR_VALUE_H_

#include "python/pywrap/py_ref.h"
// py_ref.h comes first.
#include "absl/strings/string_view.h"
#include "core/framework/attr_value.pb.h"
#include "python/pywrap/op_info.h"

namespace tensorwright::pywrap {

// False, with TypeError or ValueError set, which names the attr and the op.
bool ToAttrValue(PyObject* value, const AttrInfo& attr, absl::string_view op,
                 AttrValue* out);

// For attrs whose type no OpDef tells: an AttrValue message of Python's
// protobuf, or bool, int, float, str, bytes, DType, TensorShape, or a list.
bool GuessAttrValue(PyObject* value, AttrValue* out);

// The value that Operation.get_attr returns: int, float, bool, bytes, DType,
// the protos of shapes, tensors and functions, or a list.  New reference.
PyObject* FromAttrValue(const AttrValue& value);

// A message of Python's protobuf (its text form is not accepted) <-> ours.
bool ParsePythonProto(PyObject* message, google::protobuf::MessageLite* out);
// `module` is e.g. "tensorwright.core.framework.tensor_pb2".
PyObject* MakePythonProto(const char* module, const char* message,
                          const google::protobuf::MessageLite& value);

}  // namespace tensorwright::pywrap

#endif  // TENSORWRIGHT_PYTHON_PYWRAP_ATTR_VALUE_H_
