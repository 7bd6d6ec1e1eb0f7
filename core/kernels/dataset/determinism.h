// SPDX-License-Identifier: Apache-2.0
// Attr "deterministic" of datasets of later versions.
#ifndef TENSORWRIGHT_CORE_KERNELS_DATASET_DETERMINISM_H_
#define TENSORWRIGHT_CORE_KERNELS_DATASET_DETERMINISM_H_

#include <string>

#include "core/framework/node_def.pb.h"
#include "core/framework/op_kernel.h"
#include "core/lib/core/errors.h"

namespace tensorwright {

// InvalidArgument unless it is one of the words that there are.  None of them
// changes anything: the order of elements is always the same here.
inline Status CheckDeterministic(OpKernelConstruction* ctx) {
  std::string word;
  TF_RETURN_IF_ERROR(ctx->GetAttr("deterministic", &word));
  if (word == "true" || word == "false" || word == "default") return OkStatus();
  return errors::InvalidArgument(
      ctx->def().op(),
      ": deterministic must be 'true', 'false' or 'default', got '", word, "'");
}

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_KERNELS_DATASET_DETERMINISM_H_
