// SPDX-License-Identifier: Apache-2.0
// NoteExecutedOp.
#include "core/framework/executed_ops.h"

#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/synchronization/mutex.h"
#include "core/framework/attr_value.pb.h"
#include "core/framework/node_def.pb.h"
#include "core/framework/types.h"

namespace tensorwright {
namespace {

// "MatMul:T=float"; the types of a list are joined by "+".
std::string Describe(const NodeDef& def) {
  std::map<std::string, std::string> types;
  for (const auto& [name, value] : def.attr()) {
    if (name[0] == '_') continue;
    if (value.value_case() == AttrValue::kType) {
      types[name] = DataTypeString(value.type());
    } else if (value.list().type_size() > 0) {
      types[name] = absl::StrJoin(
          value.list().type(), "+", [](std::string* out, int type) {
            out->append(DataTypeString(static_cast<DataType>(type)));
          });
    }
  }
  return absl::StrCat(def.op(), ":",
                      absl::StrJoin(types, ",", absl::PairFormatter("=")));
}

}  // namespace

void NoteExecutedOp(const OpKernel& kernel) {
  static absl::Mutex mu(absl::kConstInit);
  static auto* const noted = new absl::flat_hash_set<std::string>;
  const char* const name = std::getenv("TENSORWRIGHT_EXECUTED_OPS");
  const std::string line = Describe(kernel.def());
  absl::MutexLock lock(&mu);
  if (name == nullptr || !noted->insert(line).second) return;
  std::FILE* const file = std::fopen(name, "a");
  if (file == nullptr) return;
  std::fprintf(file, "%s\n", line.c_str());
  std::fclose(file);
}

}  // namespace tensorwright
