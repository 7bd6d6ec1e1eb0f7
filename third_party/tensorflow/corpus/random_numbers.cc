// SPDX-License-Identifier: Apache-2.0
// Random numbers of every kind, seeded by attrs.
#include <vector>

#include "tensorflow/core/framework/op.h"
#include "tensorflow/core/framework/op_kernel.h"
#include "tensorflow/core/framework/register_types.h"
#include "tensorflow/core/framework/shape_inference.h"
#include "tensorflow/core/lib/random/distribution_sampler.h"
#include "tensorflow/core/lib/random/philox_random.h"
#include "tensorflow/core/lib/random/random.h"
#include "tensorflow/core/lib/random/random_distributions.h"
#include "tensorflow/core/lib/random/simple_philox.h"
#include "tensorflow/core/lib/random/weighted_picker.h"
#include "tensorflow/core/util/guarded_philox_random.h"

namespace tensorflow {

REGISTER_OP("CorpusRandom")
    .SetIsStateful()
    .Input("shape: T")
    .Attr("T: {int32, int64}")
    .Attr("seed: int = 0")
    .Attr("seed2: int = 0")
    .Output("uniform: float")
    .Output("normal: float")
    .Output("picks: int64")
    .SetShapeFn([](shape_inference::InferenceContext* c) {
      shape_inference::ShapeHandle out;
      TF_RETURN_IF_ERROR(c->MakeShapeFromShapeTensor(0, &out));
      c->set_output(0, out);
      c->set_output(1, out);
      c->set_output(2, c->Vector(4));
      return Status::OK();
    });

template <typename Shape>
class CorpusRandomOp : public OpKernel {
 public:
  explicit CorpusRandomOp(OpKernelConstruction* ctx) : OpKernel(ctx) {
    OP_REQUIRES_OK(ctx, generator_.Init(ctx));
  }

  void Compute(OpKernelContext* ctx) override {
    TensorShape shape;
    OP_REQUIRES_OK(
        ctx, TensorShapeUtils::MakeShape(ctx->input(0).vec<Shape>().data(),
                                         ctx->input(0).NumElements(), &shape));
    Tensor *uniform, *normal, *picks;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, shape, &uniform));
    OP_REQUIRES_OK(ctx, ctx->allocate_output(1, shape, &normal));
    OP_REQUIRES_OK(ctx, ctx->allocate_output(2, TensorShape({4}), &picks));
    const int64 n = shape.num_elements();

    auto local_gen = generator_.ReserveSamples128(n + 8);
    typedef random::UniformDistribution<random::PhiloxRandom, float> Uniform;
    Uniform dist;
    auto u = uniform->flat<float>();
    for (int64 i = 0; i < n; i += Uniform::kResultElementCount) {
      auto samples = dist(&local_gen);
      for (int j = 0; j < Uniform::kResultElementCount && i + j < n; ++j) {
        u(i + j) = samples[j];
      }
    }
    random::PhiloxRandom gen(17, 42);
    gen.Skip(3);
    random::NormalDistribution<random::PhiloxRandom, double> normals;
    random::TruncatedNormalDistribution<
        random::SingleSampleAdapter<random::PhiloxRandom>, float>
        truncated;
    random::SingleSampleAdapter<random::PhiloxRandom> single(&gen);
    for (int64 i = 0; i < n; ++i) {
      normal->flat<float>()(i) =
          static_cast<float>(normals(&gen)[0]) + truncated(&single)[0] * 0.f;
    }

    random::PhiloxRandom philox(301, 17);
    random::SimplePhilox rnd(&philox);
    random::DistributionSampler sampler({0.25f, 0.25f, 0.5f});
    random::WeightedPicker picker(5);
    picker.SetAllWeights(2);
    auto p = picks->vec<int64>();
    p(0) = sampler.Sample(&rnd);
    p(1) = picker.Pick(&rnd);
    p(2) = rnd.Uniform(7) + rnd.Uniform64(7) + rnd.OneIn(2);
    p(3) = (random::New64() == random::New64()) + (rnd.RandFloat() >= 1.0f) +
           (rnd.RandDouble() >= 1.0) + static_cast<int64>(rnd.Skewed(3) >= 8);
  }

 private:
  GuardedPhiloxRandom generator_;
};

REGISTER_KERNEL_BUILDER(Name("CorpusRandom")
                            .Device(DEVICE_CPU)
                            .HostMemory("shape")
                            .TypeConstraint<int32>("T"),
                        CorpusRandomOp<int32>);
REGISTER_KERNEL_BUILDER(Name("CorpusRandom")
                            .Device(DEVICE_CPU)
                            .HostMemory("shape")
                            .TypeConstraint<int64>("T"),
                        CorpusRandomOp<int64>);

}  // namespace tensorflow
