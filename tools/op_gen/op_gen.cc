// SPDX-License-Identifier: Apache-2.0
// Prints wrappers for a family of ops that are linked into this program.
//
//   op_gen --family=nn --hidden=ReluGrad,Softmax --language=python
//          --out=gen_nn_ops.py
#include <cstdio>
#include <set>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "core/platform/env.h"
#include "tools/op_gen/op_model.h"
#include "tools/op_gen/printer.h"

namespace tensorwright {
namespace op_gen {
namespace {

constexpr char kUsage[] =
    "usage: op_gen --language=LANGUAGE --out=FILE [--family=FAMILY] "
    "[--hidden=OP,...]\n"
    "Without --family, all ops.  Languages: ";

int Fail(absl::string_view message) {
  std::fprintf(stderr, "op_gen: %s\n", std::string(message).c_str());
  return 1;
}

int Main(int argc, char** argv) {
  std::string family, hidden, language, out;
  for (int i = 1; i < argc; ++i) {
    absl::string_view arg = argv[i];
    if (absl::ConsumePrefix(&arg, "--family=")) {
      family = std::string(arg);
    } else if (absl::ConsumePrefix(&arg, "--hidden=")) {
      hidden = std::string(arg);
    } else if (absl::ConsumePrefix(&arg, "--language=")) {
      language = std::string(arg);
    } else if (absl::ConsumePrefix(&arg, "--out=")) {
      out = std::string(arg);
    } else {
      return Fail(
          absl::StrCat("unknown argument ", arg, "\n", kUsage, Languages()));
    }
  }
  const auto printer = MakePrinter(language);
  if (printer == nullptr || out.empty()) {
    return Fail(absl::StrCat(kUsage, Languages()));
  }
  const std::set<std::string> hidden_ops =
      absl::StrSplit(hidden, ',', absl::SkipEmpty());
  FamilyModel model;
  Status status = LoadFamily(family, hidden_ops, &model);
  if (status.ok()) {
    status = WriteStringToFile(Env::Default(), out, printer->Print(model));
  }
  return status.ok() ? 0 : Fail(status.ToString());
}

}  // namespace
}  // namespace op_gen
}  // namespace tensorwright

int main(int argc, char** argv) {
  return tensorwright::op_gen::Main(argc, argv);
}
