// SPDX-License-Identifier: Apache-2.0
// Prints a family as a Python stub, for type checkers and editors.
#ifndef TENSORWRIGHT_TOOLS_OP_GEN_PYI_PRINTER_H_
#define TENSORWRIGHT_TOOLS_OP_GEN_PYI_PRINTER_H_

#include <string>

#include "tools/op_gen/printer.h"

namespace tensorwright {
namespace op_gen {

class PyiPrinter final : public Printer {
 public:
  std::string Print(const FamilyModel& family) const override;
};

}  // namespace op_gen
}  // namespace tensorwright

#endif  // TENSORWRIGHT_TOOLS_OP_GEN_PYI_PRINTER_H_
