// SPDX-License-Identifier: Apache-2.0
// RandomDataset: 32-bit random numbers without end.
//
// The numbers for given seeds are TensorFlow's: the words of a Philox stream.

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/kernels/dataset/dataset_base.h"
#include "core/kernels/lib/repeatable.h"
#include "core/lib/random/philox_random.h"
#include "core/lib/random/random.h"
#include "core/lib/random/random_distributions.h"
#include "core/platform/mutex.h"

namespace tensorwright {
namespace {

class RandomDataset final : public DatasetBase {
 public:
  // With `rerandomize`, every pass has its own seeds, derived from these seeds.
  RandomDataset(uint64_t seed, uint64_t seed2, bool rerandomize,
                DataTypeVector dtypes, std::vector<PartialTensorShape> shapes)
      : DatasetBase(std::move(dtypes), std::move(shapes)),
        seed_(seed),
        seed2_(seed2),
        rerandomize_(rerandomize),
        seeds_philox_(seed, seed2),
        seeds_(&seeds_philox_) {}

  std::string Name() const override { return "Random"; }
  int64_t Cardinality() const override { return kInfinite; }

  StatusOr<std::unique_ptr<IteratorBase>> MakeIterator(
      IteratorContext*) const override {
    uint64_t seed = seed_, seed2 = seed2_;
    if (rerandomize_) {
      mutex_lock lock(mu_);
      seed = seeds_();
      seed2 = seeds_();
    }
    return std::unique_ptr<IteratorBase>(new Iterator(seed, seed2));
  }

 private:
  class Iterator final : public IteratorBase {
   public:
    Iterator(uint64_t seed, uint64_t seed2)
        : philox_(seed, seed2), next_(&philox_) {}

    StatusOr<bool> GetNext(IteratorContext*, Element* out) override {
      out->assign(1, Tensor(static_cast<int64_t>(next_())));
      return true;
    }

   private:
    random::PhiloxRandom philox_;
    random::SingleSampleAdapter<random::PhiloxRandom> next_;
  };

  const uint64_t seed_;
  const uint64_t seed2_;
  const bool rerandomize_;
  mutable mutex mu_;
  mutable random::PhiloxRandom seeds_philox_ TF_GUARDED_BY(mu_);
  mutable random::SingleSampleAdapter<random::PhiloxRandom> seeds_
      TF_GUARDED_BY(mu_);
};

class RandomDatasetOp final : public DatasetOpKernel {
 public:
  explicit RandomDatasetOp(OpKernelConstruction* ctx) : DatasetOpKernel(ctx) {
    OP_REQUIRES_OK(ctx, ReadOutputSpec(ctx, &dtypes_, &shapes_));
    OP_REQUIRES_OK(ctx, CheckDtypes({DT_INT64}, dtypes_));
    OP_REQUIRES_OK(ctx, CheckShapes(shapes_, {PartialTensorShape({})}));
    if (ctx->HasAttr("rerandomize_each_iteration")) {
      OP_REQUIRES_OK(ctx,
                     ctx->GetAttr("rerandomize_each_iteration", &rerandomize_));
    }
  }

  StatusOr<DatasetPtr> MakeDataset(OpKernelContext* ctx) override {
    int64_t seed = 0, seed2 = 0;
    TF_RETURN_IF_ERROR(ScalarArgument(ctx, "seed", &seed));
    TF_RETURN_IF_ERROR(ScalarArgument(ctx, "seed2", &seed2));
    if (seed == 0 && seed2 == 0) {
      TF_RETURN_IF_ERROR(RefuseIfMustRepeat(
          ctx, "it draws at random, since its seed and seed2 are 0"));
      seed = static_cast<int64_t>(random::New64());
      seed2 = static_cast<int64_t>(random::New64());
    }
    return DatasetPtr(new RandomDataset(static_cast<uint64_t>(seed),
                                        static_cast<uint64_t>(seed2),
                                        rerandomize_, dtypes_, shapes_));
  }

 private:
  DataTypeVector dtypes_;
  std::vector<PartialTensorShape> shapes_;
  bool rerandomize_ = false;
};
REGISTER_KERNEL_BUILDER(Name("RandomDataset").Device(DEVICE_CPU),
                        RandomDatasetOp);

}  // namespace
}  // namespace tensorwright
