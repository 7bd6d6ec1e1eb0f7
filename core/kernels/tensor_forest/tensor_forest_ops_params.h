// SPDX-License-Identifier: Apache-2.0
// The parameters of a forest, from the attr `params` of its ops.
#ifndef TENSORWRIGHT_CORE_KERNELS_TENSOR_FOREST_TENSOR_FOREST_OPS_PARAMS_H_
#define TENSORWRIGHT_CORE_KERNELS_TENSOR_FOREST_TENSOR_FOREST_OPS_PARAMS_H_

#include <cstdint>
#include <string>

#include "core/framework/op_kernel.h"
#include "core/lib/core/status.h"
#include "core/protobuf/tensor_forest.pb.h"

namespace tensorwright {
namespace forest {

// Immutable after Parse.
class ForestParams {
 public:
  // InvalidArgument, naming the field, for bytes that are no proto, a number
  // out of range, or what this library does not serve.
  Status Parse(const std::string& serialized);
  // The same from the attr `params`.
  Status FromAttr(OpKernelConstruction* ctx);

  const tensorforest::TensorForestParams& proto() const { return proto_; }
  // Classes, or dimensions of a regression.
  int num_outputs() const { return proto_.num_outputs(); }
  bool is_regression() const { return proto_.is_regression(); }
  // The leaves are saved as maps.
  bool has_sparse_leaves() const {
    return proto_.leaf_type() == tensorforest::MODEL_SPARSE_CLASSIFICATION;
  }

  // Numbers for a node at `depth`; the root's is 0.
  int64_t NumSplits(int depth) const;
  double SplitAfterSamples(int depth) const;
  // The weight after which candidates are pruned, or the best two compared,
  // again; 0 is never.
  double PruneEverySamples(int depth) const;
  double CompareEverySamples(int depth) const;
  // How sure it must be that the best candidate is the best, in (0, 1).
  double DominateFraction(int depth) const;

 private:
  Status CheckKinds() const;

  tensorforest::TensorForestParams proto_;
};

// A kernel with the attr `params`, which it reads once.
class ForestOp : public OpKernel {
 public:
  explicit ForestOp(OpKernelConstruction* ctx) : OpKernel(ctx) {
    OP_REQUIRES_OK(ctx, params_.FromAttr(ctx));
  }

 protected:
  ForestParams params_;
};

// InvalidArgument unless a tree that was made with `made` has the outputs that
// `used` has.
Status CheckSameKind(const ForestParams& made, const ForestParams& used);

}  // namespace forest
}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_KERNELS_TENSOR_FOREST_TENSOR_FOREST_OPS_PARAMS_H_
