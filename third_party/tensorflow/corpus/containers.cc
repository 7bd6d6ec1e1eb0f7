// SPDX-License-Identifier: Apache-2.0
// gtl: slices, inlined vectors, maps, clean-ups, TopN, edit distance.
#include "tensorflow/core/framework/op.h"
#include "tensorflow/core/framework/op_kernel.h"
#include "tensorflow/core/framework/register_types.h"
#include "tensorflow/core/lib/core/bits.h"
#include "tensorflow/core/lib/core/casts.h"
#include "tensorflow/core/lib/gtl/array_slice.h"
#include "tensorflow/core/lib/gtl/cleanup.h"
#include "tensorflow/core/lib/gtl/edit_distance.h"
#include "tensorflow/core/lib/gtl/flatmap.h"
#include "tensorflow/core/lib/gtl/flatset.h"
#include "tensorflow/core/lib/gtl/inlined_vector.h"
#include "tensorflow/core/lib/gtl/map_util.h"
#include "tensorflow/core/lib/gtl/optional.h"
#include "tensorflow/core/lib/gtl/stl_util.h"
#include "tensorflow/core/lib/gtl/top_n.h"
#include "tensorflow/core/lib/math/math_util.h"
#include "tensorflow/core/util/ptr_util.h"

namespace tensorflow {

REGISTER_OP("CorpusTopK")
    .Input("x: T")
    .Input("k: int32")
    .Output("values: T")
    .Output("facts: int64")
    .Attr("T: realnumbertype")
    .SetShapeFn([](shape_inference::InferenceContext* c) {
      shape_inference::ShapeHandle x;
      TF_RETURN_IF_ERROR(c->WithRank(c->input(0), 1, &x));
      shape_inference::DimensionHandle k;
      TF_RETURN_IF_ERROR(c->MakeDimForScalarInput(1, &k));
      c->set_output(0, c->Vector(k));
      c->set_output(1, c->Vector(6));
      return Status::OK();
    });

namespace {

int64 SumOf(gtl::ArraySlice<int64> values) {
  int64 sum = 0;
  for (int64 v : values) sum += v;
  return sum;
}
void Negate(gtl::MutableArraySlice<int64> values) {
  for (int64& v : values) v = -v;
}

template <typename T>
class TopKOp : public OpKernel {
 public:
  explicit TopKOp(OpKernelConstruction* c) : OpKernel(c) {}

  void Compute(OpKernelContext* ctx) override {
    int cleaned = 0;
    {
      auto cleaner = gtl::MakeCleanup([&cleaned]() { ++cleaned; });
      auto not_run = gtl::MakeCleanup([&cleaned]() { cleaned += 100; });
      not_run.release();
    }
    auto x = ctx->input(0).vec<T>();
    const int32 k = ctx->input(1).scalar<int32>()();
    OP_REQUIRES(ctx, k >= 0 && k <= x.size(),
                errors::InvalidArgument("input must have at least k elements"));
    gtl::TopN<T> top(k);
    for (int64 i = 0; i < x.size(); ++i) top.push(x(i));
    Tensor *values, *facts;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, TensorShape({k}), &values));
    OP_REQUIRES_OK(ctx, ctx->allocate_output(1, TensorShape({6}), &facts));
    std::unique_ptr<std::vector<T>> sorted(top.Extract());
    std::copy(sorted->begin(), sorted->end(), values->vec<T>().data());

    gtl::InlinedVector<int64, 4> inlined = {1, 2, 3};
    Negate(gtl::MutableArraySlice<int64>(inlined));
    gtl::FlatMap<string, int> map;
    map["a"] = 1;
    gtl::InsertIfNotPresent(&map, string("b"), 2);
    gtl::FlatSet<int> set = {1, 2, 2};
    gtl::optional<int> maybe;
    auto f = facts->vec<int64>();
    f(0) = SumOf(inlined) + SumOf({10, 20});
    f(1) = *gtl::FindOrNull(map, "b") + gtl::FindWithDefault(map, "c", 7);
    f(2) = set.size() + (maybe ? 1 : 0) + map.count("a");
    f(3) = gtl::LevenshteinDistance(string("kitten"), string("sitting"),
                                    std::equal_to<char>());
    f(4) = Log2Floor(1000) * 100 + Log2Ceiling64(1000) +
           MathUtil::CeilOfRatio<int64>(7, 2) + bit_cast<int32>(0.0f);
    f(5) = cleaned;
    auto owned = MakeUnique<std::vector<int*>>();
    owned->push_back(new int(3));
    gtl::STLDeleteElements(owned.get());
  }
};

}  // namespace

#define REGISTER_TOPK(type)                                            \
  REGISTER_KERNEL_BUILDER(                                             \
      Name("CorpusTopK").Device(DEVICE_CPU).TypeConstraint<type>("T"), \
      TopKOp<type>)

TF_CALL_float(REGISTER_TOPK) TF_CALL_int32(REGISTER_TOPK)
    TF_CALL_int64(REGISTER_TOPK)
#undef REGISTER_TOPK

}  // namespace tensorflow
