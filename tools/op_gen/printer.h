// SPDX-License-Identifier: Apache-2.0
// Printer: op -> text in one language.  A further language is one more class
// and a line in printer.cc.
#ifndef TENSORWRIGHT_TOOLS_OP_GEN_PRINTER_H_
#define TENSORWRIGHT_TOOLS_OP_GEN_PRINTER_H_

#include <memory>
#include <string>

#include "absl/strings/string_view.h"
#include "tools/op_gen/op_model.h"

namespace tensorwright {
namespace op_gen {

class Printer {
 public:
  virtual ~Printer() = default;
  // The whole file.
  virtual std::string Print(const FamilyModel& family) const = 0;
};

// "python" (.py), "pyi" (its stub) or "json" (signatures in the schema of the
// conformance list); null for any other text.
std::unique_ptr<Printer> MakePrinter(absl::string_view language);
// "python, pyi, json".
std::string Languages();

}  // namespace op_gen
}  // namespace tensorwright

#endif  // TENSORWRIGHT_TOOLS_OP_GEN_PRINTER_H_
