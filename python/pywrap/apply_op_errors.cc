// SPDX-License-Identifier: Apache-2.0
// The errors of apply_op about inputs whose types do not match.
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "python/pywrap/apply_op_internal.h"
#include "python/pywrap/dtype_map.h"
#include "python/pywrap/tensor_numpy.h"

namespace tensorwright::pywrap {

void RaiseMismatch(const OpInfo& op, const ArgInfo& arg, DataType observed,
                   DataType expected, const ArgInfo* from) {
  const std::string prefix =
      absl::StrCat("Input '", arg.name, "' of '", op.name, "' Op has type ",
                   DtypeName(observed), " that does not match ");
  std::string text;
  if (arg.type != DT_INVALID) {
    text = absl::StrCat(prefix, "expected type of ", DtypeName(arg.type), ".");
  } else {
    text = absl::StrCat(
        prefix, "type ", DtypeName(expected),
        from == nullptr ? " of attr '" : " of argument '",
        from == nullptr ? op.attrs[arg.type_attr].name : from->name, "'.");
  }
  Ref message(MakeStr(text));
  PyErr_SetObject(PyExc_TypeError, message.get());
}

void RaiseListMismatch(const OpInfo& op, const ArgInfo& arg, PyObject* items,
                       DataType dtype, bool inferred) {
  PyErr_Clear();
  std::vector<std::string> observed;
  for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(items); ++i) {
    PyObject* item = PySequence_Fast_GET_ITEM(items, i);
    Tensor value;
    if (IsTensor(item)) {
      observed.push_back(DtypeName(BaseType(DtypeOf(AsTensor(item)))));
    } else if (TensorFromPlain(item, DT_INVALID, &value) == Plain::kDone) {
      observed.push_back(DtypeName(value.dtype()));
    } else if (numpy::IsArray(item)) {
      observed.push_back(DtypeName(TypeOfArray(numpy::AsArray(item))));
    } else {
      observed.push_back("<NOT CONVERTIBLE TO TENSOR>");
    }
  }
  std::string rule = " that are invalid.";
  if (arg.number_attr >= 0) {
    rule = arg.type != DT_INVALID
               ? absl::StrCat(" that do not match expected type ",
                              DtypeName(arg.type), ".")
           : inferred
               ? absl::StrCat(" that do not match type ", DtypeName(dtype),
                              " inferred from earlier arguments.")
               : std::string(" that don't all match.");
  }
  Ref message(MakeStr(absl::StrCat("Tensors in list passed to '", arg.name,
                                   "' of '", op.name, "' Op have types [",
                                   absl::StrJoin(observed, ", "), "]", rule)));
  PyErr_SetObject(PyExc_TypeError, message.get());
}

}  // namespace tensorwright::pywrap
