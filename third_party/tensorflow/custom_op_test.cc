// SPDX-License-Identifier: Apache-2.0
// Ops written the way custom ops for TensorFlow 1.x and 2.x are, compiled
// unmodified and run.
#define EIGEN_USE_THREADS

#include "tensorflow/core/framework/common_shape_fns.h"
#include "tensorflow/core/framework/op.h"
#include "tensorflow/core/framework/op_kernel.h"
#include "tensorflow/core/framework/register_types.h"
#include "tensorflow/core/framework/resource_mgr.h"
#include "tensorflow/core/framework/shape_inference.h"
#include "tensorflow/core/framework/tensor.h"
#include "tensorflow/core/framework/tensor_shape.h"
#include "tensorflow/core/kernels/bounds_check.h"
#include "tensorflow/core/lib/core/blocking_counter.h"
#include "tensorflow/core/lib/core/errors.h"
#include "tensorflow/core/lib/gtl/array_slice.h"
#include "tensorflow/core/lib/random/simple_philox.h"
#include "tensorflow/core/lib/strings/strcat.h"
#include "tensorflow/core/platform/default/logging.h"
#include "tensorflow/core/platform/mutex.h"
#include "tensorflow/core/platform/types.h"
#include "tensorflow/core/util/guarded_philox_random.h"
#include "tensorflow/core/util/work_sharder.h"
#include "third_party/eigen3/unsupported/Eigen/CXX11/Tensor"

// ---- A forward declaration, and a functor specialised, in the namespace -----

namespace tensorflow {

class OpKernelContext;

typedef Eigen::ThreadPoolDevice CPUDevice;

namespace functor {

template <typename Device, typename T>
struct CompatScale;

template <typename T>
struct CompatScale<CPUDevice, T> {
  void operator()(const CPUDevice& d, typename TTypes<T>::ConstFlat in,
                  T factor, typename TTypes<T>::Flat out) {
    out.device(d) = in * factor;
  }
};

}  // namespace functor

namespace shape_inference {
// Names of the framework's namespace are found without a prefix.
Status CompatScaleShape(InferenceContext* c) {
  ShapeHandle input;
  TF_RETURN_IF_ERROR(c->WithRankAtLeast(c->input(0), 1, &input));
  DimensionHandle d = c->Dim(input, 0);
  DimensionHandle same;
  TF_RETURN_IF_ERROR(c->Merge(d, c->UnknownDim(), &same));
  TF_RETURN_IF_ERROR(c->ReplaceDim(input, 0, same, &input));
  c->set_output(0, input);
  return Status::OK();
}
}  // namespace shape_inference

REGISTER_OP("CompatScale")
    .Input("in: T")
    .Output("out: T")
    .Attr("T: {float, double}")
    .Attr("factor: float = 2.0")
    .SetShapeFn(shape_inference::CompatScaleShape)
    .Doc(R"doc(
Multiplies by a factor.

in: The input.
out: The output.
)doc");

template <typename Device, typename T>
class CompatScaleOp : public OpKernel {
 public:
  explicit CompatScaleOp(OpKernelConstruction* ctx) : OpKernel(ctx) {
    OP_REQUIRES_OK(ctx, ctx->GetAttr("factor", &factor_));
    OP_REQUIRES(ctx, factor_ != 0.0f,
                errors::InvalidArgument("factor must not be 0, got ", factor_));
  }

  void Compute(OpKernelContext* ctx) override {
    const Tensor& in = ctx->input(0);
    Tensor* out = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, in.shape(), &out));
    functor::CompatScale<Device, T>()(ctx->eigen_device<Device>(), in.flat<T>(),
                                      static_cast<T>(factor_), out->flat<T>());
  }

 private:
  float factor_;
  TF_DISALLOW_COPY_AND_ASSIGN(CompatScaleOp);
};

#define REGISTER_CPU(T)                                              \
  REGISTER_KERNEL_BUILDER(                                           \
      Name("CompatScale").Device(DEVICE_CPU).TypeConstraint<T>("T"), \
      CompatScaleOp<CPUDevice, T>);

TF_CALL_float(REGISTER_CPU);
TF_CALL_double(REGISTER_CPU);
#undef REGISTER_CPU

// ---- Lists of inputs, a lambda shape function, Shard, temporaries -----------

REGISTER_OP("CompatRowSums")
    .Input("inputs: N * float")
    .Input("offset: int64")
    .Output("sums: N * float")
    .Attr("N: int >= 1")
    .SetShapeFn([](shape_inference::InferenceContext* c) {
      shape_inference::ShapeHandle unused;
      for (int i = 0; i < c->num_inputs() - 1; ++i) {
        shape_inference::ShapeHandle in;
        TF_RETURN_IF_ERROR(c->WithRank(c->input(i), 2, &in));
        c->set_output(i, c->Vector(c->Dim(in, 0)));
      }
      TF_RETURN_IF_ERROR(
          c->WithRank(c->input(c->num_inputs() - 1), 0, &unused));
      return Status::OK();
    });

class CompatRowSumsOp : public OpKernel {
 public:
  explicit CompatRowSumsOp(OpKernelConstruction* context) : OpKernel(context) {}

  void Compute(OpKernelContext* context) override {
    OpInputList inputs;
    OP_REQUIRES_OK(context, context->input_list("inputs", &inputs));
    OpOutputList sums;
    OP_REQUIRES_OK(context, context->output_list("sums", &sums));
    const Tensor* offset;
    OP_REQUIRES_OK(context, context->input("offset", &offset));
    const int64 add = offset->scalar<int64>()();
    OP_REQUIRES(context, FastBoundsCheck(add, 100),
                errors::InvalidArgument("offset ", add, " is not in [0, 100)"))

    for (int i = 0; i < inputs.size(); ++i) {
      const auto in = inputs[i].matrix<float>();
      const int64 rows = in.dimension(0), cols = in.dimension(1);
      Tensor* out = nullptr;
      OP_REQUIRES_OK(context, sums.allocate(i, TensorShape({rows}), &out));
      Tensor partial;
      OP_REQUIRES_OK(context,
                     context->allocate_temp(DataTypeToEnum<float>::v(),
                                            TensorShape({rows}), &partial));
      auto partial_vec = partial.vec<float>();
      auto work = [&in, &partial_vec, cols](int64 begin, int64 end) {
        for (int64 r = begin; r < end; ++r) {
          partial_vec(r) = 0;
          for (int64 c = 0; c < cols; ++c) partial_vec(r) += in(r, c);
        }
      };
      auto worker_threads =
          *(context->device()->tensorflow_cpu_worker_threads());
      Shard(worker_threads.num_threads, worker_threads.workers, rows, 10 * cols,
            work);
      for (int64 r = 0; r < rows; ++r) {
        out->flat<float>()(r) = partial_vec(r) + static_cast<float>(add);
      }
    }
  }
};

REGISTER_KERNEL_BUILDER(
    Name("CompatRowSums").Device(DEVICE_CPU).HostMemory("offset"),
    CompatRowSumsOp);

}  // namespace tensorflow

// ---- `using namespace`, strings, random numbers, resources ------------------

using namespace tensorflow;
using shape_inference::ShapeHandle;

REGISTER_OP("CompatTag")
    .Input("text: string")
    .Output("tagged: string")
    .Attr("tag: string")
    .Attr("sizes: list(int) = [1, 2]")
    .Attr("dtype: type = DT_FLOAT")
    .Attr("seed: int = 7")
    .Attr("seed2: int = 8")
    .SetIsStateful()
    .SetShapeFn(::tensorflow::shape_inference::UnchangedShape);

class CompatCounter : public ResourceBase {
 public:
  string DebugString() const override { return "counter"; }
  int64 Next() {
    mutex_lock l(mu_);
    return ++count_;
  }

 private:
  mutex mu_;
  int64 count_ GUARDED_BY(mu_) = 0;
};

class CompatTagOp : public OpKernel {
 public:
  explicit CompatTagOp(OpKernelConstruction* ctx) : OpKernel(ctx) {
    OP_REQUIRES_OK(ctx, ctx->GetAttr("tag", &tag_));
    OP_REQUIRES_OK(ctx, ctx->GetAttr("sizes", &sizes_));
    OP_REQUIRES_OK(ctx, ctx->GetAttr("dtype", &dtype_));
    OP_REQUIRES_OK(ctx, generator_.Init(ctx));
    Tensor* kept;
    OP_REQUIRES_OK(ctx, ctx->allocate_persistent(DT_INT32, TensorShape({1}),
                                                 &persistent_, &kept));
    kept->flat<int32>()(0) = 5;
  }

  void Compute(OpKernelContext* ctx) override {
    CompatCounter* counter = nullptr;
    OP_REQUIRES_OK(ctx,
                   (ctx->resource_manager()->LookupOrCreate<CompatCounter>(
                       "compat", "counter", &counter, [](CompatCounter** c) {
                         *c = new CompatCounter;
                         return Status::OK();
                       })));
    core::ScopedUnref unref(counter);
    const int64 n = counter->Next();

    random::PhiloxRandom local = generator_.ReserveSamples32(4);
    random::SimplePhilox simple(&local);
    CHECK_LT(simple.Uniform(10), 10);
    VLOG(1) << "run " << n;

    Tensor* out = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, ctx->input(0).shape(), &out));
    auto in = ctx->input(0).flat<string>();
    auto tagged = out->flat<tstring>();
    gtl::ArraySlice<int64> sizes(sizes_);
    StringPiece tag(tag_);
    for (int64 i = 0; i < in.size(); ++i) {
      tagged(i) =
          strings::StrCat(tag.ToString(), tag.contains("x") ? "!" : "", in(i),
                          n, "/", sizes.size(), DataTypeString(dtype_),
                          persistent_.AccessTensor(ctx)->flat<int32>()(0));
    }
  }

 private:
  string tag_;
  std::vector<int64> sizes_;
  DataType dtype_;
  GuardedPhiloxRandom generator_;
  PersistentTensor persistent_;
};

REGISTER_KERNEL_BUILDER(Name("CompatTag").Device(DEVICE_CPU), CompatTagOp);

// ---- A reference input ------------------------------------------------------

REGISTER_OP("CompatIncrement")
    .Input("ref: Ref(int32)")
    .Output("out: Ref(int32)")
    .SetShapeFn([](shape_inference::InferenceContext* c) {
      c->set_output(0, c->input(0));
      return OkStatus();
    });

class CompatIncrementOp : public OpKernel {
 public:
  using OpKernel::OpKernel;
  void Compute(OpKernelContext* c) override {
    mutex_lock l(*c->input_ref_mutex(0));
    Tensor ref = c->mutable_input(0, /*lock_held=*/true);
    OP_REQUIRES(c, TensorShapeUtils::IsVector(ref.shape()),
                tensorflow::errors::FailedPrecondition("ref must be a vector"));
    ref.flat<int32>() = ref.flat<int32>() + ref.flat<int32>().constant(1);
    c->forward_ref_input_to_ref_output(0, 0);
  }
};

REGISTER_KERNEL_BUILDER(Name("CompatIncrement").Device(DEVICE_CPU),
                        CompatIncrementOp);

// ---- All of it runs ---------------------------------------------------------

#include "core/kernels/lib/ops_testutil.h"

class CustomOpTest : public tensorflow::OpsTestBase {};

TEST_F(CustomOpTest, FunctorInReopenedNamespace) {
  TF_ASSERT_OK(InitOp("CompatScale", {{"T", DT_DOUBLE}, {"factor", 3.0f}}));
  AddInput<double>({2, 2}, {1, 2, 3, 4});
  TF_ASSERT_OK(RunOpKernel());
  ExpectOutput<double>(0, {2, 2}, {3, 6, 9, 12});
}

TEST_F(CustomOpTest, BadAttrFailsConstruction) {
  const Status s = InitOp("CompatScale", {{"T", DT_FLOAT}, {"factor", 0.0f}});
  EXPECT_TRUE(errors::IsInvalidArgument(s)) << s;
}

TEST_F(CustomOpTest, ListsAndShard) {
  TF_ASSERT_OK(InitOp("CompatRowSums", {{"N", 2}}));
  AddInput<float>({2, 3}, {1, 2, 3, 4, 5, 6});
  AddInput<float>({1, 1}, {7});
  AddInput<int64>({}, {10});
  TF_ASSERT_OK(RunOpKernel());
  ExpectOutput<float>(0, {2}, {16, 25});
  ExpectOutput<float>(1, {1}, {17});
  runner_.SetInput(2, Tensor(int64{100}));
  ExpectError(error::INVALID_ARGUMENT, "offset 100 is not in [0, 100)");
}

TEST_F(CustomOpTest, StringsResourcesAndPersistentTensors) {
  TF_ASSERT_OK(InitOp("CompatTag", {{"tag", "x:"}}));
  AddInput<tstring>({2}, {"a", "b"});
  TF_ASSERT_OK(RunOpKernel());
  ExpectOutput<tstring>(0, {2}, {"x:!a1/2float5", "x:!b1/2float5"});
  TF_ASSERT_OK(RunOpKernel());
  ExpectOutput<tstring>(0, {2}, {"x:!a2/2float5", "x:!b2/2float5"});
}

TEST_F(CustomOpTest, ReferenceInput) {
  TF_ASSERT_OK(InitOp("CompatIncrement"));
  AddRefInput<int32>({2}, {1, 2});
  TF_ASSERT_OK(RunOpKernel());
  ExpectOutput<int32>(0, {2}, {2, 3});
}
