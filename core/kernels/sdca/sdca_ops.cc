// SPDX-License-Identifier: Apache-2.0
// The kernels of SdcaOptimizer, SdcaShrinkL1 and SdcaFprint.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "core/framework/op_kernel.h"
#include "core/framework/tensor.h"
#include "core/kernels/lib/variables.h"
#include "core/kernels/lib/wide_loops.h"
#include "core/kernels/sdca/sdca_ops_examples.h"
#include "core/kernels/sdca/sdca_ops_losses.h"
#include "core/kernels/sdca/sdca_ops_order.h"
#include "core/lib/core/errors.h"
#include "core/platform/fingerprint.h"
#include "core/util/work_sharder.h"

namespace tensorwright {
namespace {

// The columns of an example's state.
enum State { kDual, kPrimalLoss, kDualLoss, kWeight, kColumns };

// The attrs l1 and l2.
struct Penalties {
  Status Read(OpKernelConstruction* ctx) {
    TF_RETURN_IF_ERROR(ctx->GetAttr("l1", &l1));
    TF_RETURN_IF_ERROR(ctx->GetAttr("l2", &l2));
    shrinkage = l1 / l2;
    return OkStatus();
  }
  float l1 = 0;
  float l2 = 0;
  float shrinkage = 0;
};

class SdcaOptimizerOp final : public OpKernel {
 public:
  explicit SdcaOptimizerOp(OpKernelConstruction* ctx) : OpKernel(ctx) {
    std::string loss_type;
    int sparse = 0, dense = 0;
    OP_REQUIRES_OK(ctx, ctx->GetAttr("loss_type", &loss_type));
    OP_REQUIRES_OK(ctx, ctx->GetAttr("adaptative", &adaptive_));
    OP_REQUIRES_OK(ctx, ctx->GetAttr("num_sparse_features", &sparse));
    OP_REQUIRES_OK(ctx, ctx->GetAttr("num_dense_features", &dense));
    OP_REQUIRES_OK(ctx, ctx->GetAttr("num_loss_partitions", &parts_));
    OP_REQUIRES_OK(ctx, penalties_.Read(ctx));
    loss_ = MakeSdcaLoss(loss_type);
    OP_REQUIRES(ctx, loss_ != nullptr,
                errors::InvalidArgument("Unsupported loss type: ", loss_type));
    OP_REQUIRES(
        ctx, sparse > 0 || dense > 0,
        errors::InvalidArgument("Requires at least one feature to train."));
  }

  void Compute(OpKernelContext* ctx) override {
    SdcaExamples examples;
    OP_REQUIRES_OK(ctx, examples.Read(ctx));
    std::vector<float> labels(examples.size());
    for (int64_t i = 0; i < examples.size(); ++i) {
      labels[i] = examples.label(i);
      OP_REQUIRES_OK(ctx, loss_->ConvertLabel(&labels[i]));
    }
    const Tensor* before = nullptr;
    Tensor* state = nullptr;
    OP_REQUIRES_OK(ctx, ctx->input("example_state_data", &before));
    OP_REQUIRES_OK(ctx, ctx->allocate_output("out_example_state_data",
                                             before->shape(), &state));
    float* rows = state->base<float>();
    std::copy_n(before->base<float>(), before->NumElements(), rows);
    for (const int64_t i : Order(examples, labels, *before)) {
      Step(i, labels[i], &examples, rows + i * kColumns);
    }
    OP_REQUIRES_OK(ctx, examples.WriteDeltas(ctx));
  }

 private:
  // The order is seeded with the state, which differs from call to call as long
  // as there is something to learn.
  std::vector<int64_t> Order(const SdcaExamples& examples,
                             const std::vector<float>& labels,
                             const Tensor& state) const {
    const float* rows = state.base<float>();
    const uint64_t seed = Fingerprint64(absl::string_view(
        reinterpret_cast<const char*>(rows), state.TotalBytes()));
    if (!adaptive_) return ShuffledOrder(examples.size(), seed);
    // An example's weight is the distance between its dual variable and the one
    // that the primal problem implies.
    std::vector<double> weights(examples.size());
    for (int64_t i = 0; i < examples.size(); ++i) {
      const double wx = examples.Predict(i, penalties_.shrinkage, parts_).now;
      const double apart =
          rows[i * kColumns + kDual] + loss_->Derivative(wx, labels[i]);
      weights[i] = std::abs(examples.weight(i) * apart *
                            std::sqrt(examples.squared_norm(i) +
                                      penalties_.l2 * loss_->Smoothness()));
    }
    return WeightedOrder(std::move(weights), seed);
  }

  // Optimises the dual variable of one example.
  void Step(int64_t i, double label, SdcaExamples* examples,
            float* state) const {
    const double weight = examples->weight(i), dual = state[kDual];
    const SdcaExamples::Predictions wx =
        examples->Predict(i, penalties_.shrinkage, parts_);
    const double norm = examples->squared_norm(i) / penalties_.l2;
    const double updated =
        loss_->UpdatedDual({label, dual, wx.now, parts_ * weight * norm});
    examples->Add(i, (updated - dual) * weight / penalties_.l2);
    const double dual_loss = loss_->Dual(dual, label);
    constexpr double kInfinite = std::numeric_limits<double>::max();
    state[kDual] = static_cast<float>(updated);
    state[kPrimalLoss] =
        static_cast<float>(loss_->Primal(wx.before, label) * weight);
    state[kDualLoss] = dual_loss == kInfinite
                           ? std::numeric_limits<float>::infinity()
                           : static_cast<float>(dual_loss * weight);
    state[kWeight] = static_cast<float>(weight);
  }

  std::unique_ptr<SdcaLoss> loss_;
  bool adaptive_ = false;
  int parts_ = 1;
  Penalties penalties_;
};
REGISTER_KERNEL_BUILDER(Name("SdcaOptimizer").Device(DEVICE_CPU),
                        SdcaOptimizerOp);

struct ShrinkLoop {
  TW_WIDE_LOOP static void Run(float by, int64_t n, float* weights) {
    TW_VECTORIZE
    for (int64_t i = 0; i < n; ++i) weights[i] = Shrink(weights[i], by);
  }
};

class SdcaShrinkL1Op final : public OpKernel {
 public:
  explicit SdcaShrinkL1Op(OpKernelConstruction* ctx) : OpKernel(ctx) {
    OP_REQUIRES_OK(ctx, penalties_.Read(ctx));
  }

  void Compute(OpKernelContext* ctx) override {
    if (ctx->num_inputs() == 0) return;
    std::vector<int> inputs(ctx->num_inputs());
    std::iota(inputs.begin(), inputs.end(), 0);
    WritableVariables weights;
    OP_REQUIRES_OK(ctx, weights.Open(ctx, inputs, DT_FLOAT,
                                     /*lock_references=*/true));
    for (int i = 0; i < weights.size(); ++i) {
      OP_REQUIRES(ctx, weights[i].IsInitialized(),
                  errors::FailedPrecondition(
                      "Attempting to use uninitialized variables: ",
                      requested_input(i)));
    }
    for (int i = 0; i < weights.size(); ++i) {
      float* w = weights[i].base<float>();
      const float by = penalties_.shrinkage;
      ParallelFor(ctx, weights[i].NumElements(), 1,
                  [w, by](int64_t begin, int64_t end) {
                    RunWide<ShrinkLoop>(by, end - begin, w + begin);
                  });
    }
  }

 private:
  Penalties penalties_;
};
REGISTER_KERNEL_BUILDER(Name("SdcaShrinkL1").Device(DEVICE_CPU),
                        SdcaShrinkL1Op);

class SdcaFprintOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* ctx) override {
    const Tensor& input = ctx->input(0);
    const int64_t n = input.NumElements();
    Tensor* output = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, TensorShape({n, 2}), &output));
    const std::string* text = input.base<std::string>();
    int64_t* halves = output->base<int64_t>();
    ParallelFor(ctx, n, 50, [text, halves](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        const Fprint128 print = Fingerprint128(text[i]);
        halves[2 * i] = static_cast<int64_t>(print.low64);
        halves[2 * i + 1] = static_cast<int64_t>(print.high64);
      }
    });
  }
};
REGISTER_KERNEL_BUILDER(Name("SdcaFprint").Device(DEVICE_CPU), SdcaFprintOp);

}  // namespace
}  // namespace tensorwright
