// SPDX-License-Identifier: Apache-2.0
// IdentityReader: the names of work are the records.

#include <string>

#include "absl/strings/str_cat.h"
#include "core/framework/op_kernel.h"
#include "core/framework/reader_base.h"
#include "core/framework/reader_base.pb.h"
#include "core/framework/reader_op_kernel.h"
#include "core/lib/core/errors.h"

namespace tensorwright {
namespace {

class IdentityReader final : public ReaderBase {
 public:
  explicit IdentityReader(const std::string& node_name)
      : ReaderBase(absl::StrCat("IdentityReader '", node_name, "'")) {}

  Status ReadLocked(tstring* key, tstring* value, bool* produced,
                    bool* at_end) override {
    *key = current_work();
    *value = current_work();
    *produced = true;
    *at_end = true;
    return OkStatus();
  }

  // Between two reads no work is in progress, so the base has all of the state.
  Status SerializeStateLocked(tstring* state) override {
    ReaderBaseState base;
    SaveBaseState(&base);
    base.SerializeToString(state);
    return OkStatus();
  }
  Status RestoreStateLocked(const tstring& state) override {
    ReaderBaseState base;
    if (!base.ParseFromString(state)) {
      return errors::InvalidArgument("Could not parse state for ", name(), ": ",
                                     state.substr(0, 200));
    }
    return RestoreBaseState(base);
  }
};

class IdentityReaderOp final : public ReaderOpKernel {
 public:
  explicit IdentityReaderOp(OpKernelConstruction* ctx) : ReaderOpKernel(ctx) {
    SetReaderFactory([this] { return new IdentityReader(name()); });
  }
};
REGISTER_KERNEL_BUILDER(Name("IdentityReader").Device(DEVICE_CPU),
                        IdentityReaderOp);
REGISTER_KERNEL_BUILDER(Name("IdentityReaderV2").Device(DEVICE_CPU),
                        IdentityReaderOp);

}  // namespace
}  // namespace tensorwright
