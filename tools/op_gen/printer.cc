// SPDX-License-Identifier: Apache-2.0
// The languages that are printed.
#include "tools/op_gen/printer.h"

#include "tools/op_gen/json_printer.h"
#include "tools/op_gen/pyi_printer.h"
#include "tools/op_gen/python_printer.h"

namespace tensorwright {
namespace op_gen {

std::unique_ptr<Printer> MakePrinter(absl::string_view language) {
  if (language == "python") return std::make_unique<PythonPrinter>();
  if (language == "pyi") return std::make_unique<PyiPrinter>();
  if (language == "json") return std::make_unique<JsonPrinter>();
  return nullptr;
}

std::string Languages() { return "python, pyi, json"; }

}  // namespace op_gen
}  // namespace tensorwright
