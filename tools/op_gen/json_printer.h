// SPDX-License-Identifier: Apache-2.0
// Prints signatures as JSON, in the schema of the conformance list ops.json.
#ifndef TENSORWRIGHT_TOOLS_OP_GEN_JSON_PRINTER_H_
#define TENSORWRIGHT_TOOLS_OP_GEN_JSON_PRINTER_H_

#include <string>

#include "tools/op_gen/printer.h"

namespace tensorwright {
namespace op_gen {

class JsonPrinter final : public Printer {
 public:
  std::string Print(const FamilyModel& family) const override;
};

}  // namespace op_gen
}  // namespace tensorwright

#endif  // TENSORWRIGHT_TOOLS_OP_GEN_JSON_PRINTER_H_
