// SPDX-License-Identifier: Apache-2.0
// Prints a family as a Python module, formatted as by ruff.
#ifndef TENSORWRIGHT_TOOLS_OP_GEN_PYTHON_PRINTER_H_
#define TENSORWRIGHT_TOOLS_OP_GEN_PYTHON_PRINTER_H_

#include <string>

#include "tools/op_gen/printer.h"

namespace tensorwright {
namespace op_gen {

class PythonPrinter final : public Printer {
 public:
  std::string Print(const FamilyModel& family) const override;
  // The function of one op, with its alias and the class of its tuple.
  std::string PrintOp(const OpModel& op) const;
};

}  // namespace op_gen
}  // namespace tensorwright

#endif  // TENSORWRIGHT_TOOLS_OP_GEN_PYTHON_PRINTER_H_
