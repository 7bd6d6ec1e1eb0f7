// SPDX-License-Identifier: Apache-2.0
// The docstring of a generated Python function.
#ifndef TENSORWRIGHT_TOOLS_OP_GEN_PYTHON_DOC_H_
#define TENSORWRIGHT_TOOLS_OP_GEN_PYTHON_DOC_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "tools/op_gen/op_model.h"

namespace tensorwright {
namespace op_gen {

// The docstring with its quotes, indented by four: summary, description, Args,
// Returns, and the place of the op's registration.
std::string Docstring(const OpModel& op);

// `text` in lines of at most `width` columns: the first follows `first` (which
// is printed), the rest is indented by `indent`.  Words are never split.
std::string Wrapped(absl::string_view first, absl::string_view text, int indent,
                    int width);

}  // namespace op_gen
}  // namespace tensorwright

#endif  // TENSORWRIGHT_TOOLS_OP_GEN_PYTHON_DOC_H_
