// SPDX-License-Identifier: Apache-2.0
// Asks a kernel's context for all that it has besides tensors, and spells codes
// as members of the enum.
#include <memory>
#include <unordered_map>

#include "tensorflow/core/framework/op.h"
#include "tensorflow/core/framework/op_kernel.h"
#include "tensorflow/core/framework/typed_allocator.h"
#include "tensorflow/core/lib/core/stringpiece.h"
#include "tensorflow/core/platform/statusor.h"
#include "tensorflow/core/util/bcast.h"

namespace tensorflow {

REGISTER_OP("CorpusContext")
    .Input("x: float")
    .Attr("n: int = 1")
    .Output("y: float")
    .Output("facts: int64")
    .SetShapeFn([](shape_inference::InferenceContext* c) {
      shape_inference::ShapeHandle every_other;
      TF_RETURN_IF_ERROR(c->Subshape(c->input(0), 0, 4, 2, &every_other));
      shape_inference::ShapeHandle backwards;
      TF_RETURN_IF_ERROR(c->Subshape(c->input(0), -1, 0, -1, &backwards));
      if (c->RankKnown(every_other) && c->Rank(backwards) > 2) {
        return errors::InvalidArgument("rank of ", c->DebugString(c->input(0)));
      }
      c->set_output(0, c->input(0));
      c->set_output(1, c->UnknownShapeOfRank(1));
      return Status::OK();
    });

class CorpusContextOp : public OpKernel {
 public:
  explicit CorpusContextOp(OpKernelConstruction* ctx) : OpKernel(ctx) {
    OP_REQUIRES_OK(ctx, ctx->MatchSignature({DT_FLOAT}, {DT_FLOAT, DT_INT64}));
    OP_REQUIRES_VALUE(n_, ctx, Positive(ctx));
  }

  void Compute(OpKernelContext* ctx) override {
    OP_REQUIRES_OK(ctx, ctx->MatchSignature(input_types(), output_types()));
    const Tensor& x = ctx->input(0);
    Tensor sum;
    OP_REQUIRES_OK(ctx, ctx->forward_input_or_allocate_temp({0}, DT_FLOAT,
                                                            x.shape(), &sum));
    ctx->record_temp_memory_allocation(sum.AllocatedBytes(), sum);
    if (ctx->track_allocations()) {
      ctx->record_persistent_memory_allocation(sum.AllocatedBytes());
    }

    // y = x + x, as a broadcast that is none.
    BCast bcast(BCast::FromShape(x.shape()), x.shape().dim_sizes());
    OP_REQUIRES(ctx, bcast.IsValid(), errors::Internal("x and x"));
    auto shape = BCast::ToIndexArray<1>(bcast.x_reshape());
    Tensor* y = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, x.shape(), &y));
    auto flat = x.flat<float>();
    y->flat<float>() = flat.reshape(shape) + flat.reshape(shape);
    TensorValue released = ctx->release_output(0);
    std::unique_ptr<Tensor> mine(released.tensor);
    ctx->set_output(0, *mine);

    std::unordered_map<StringPiece, int64, StringPiece::Hasher> seen;
    StringPiece piece("abc");
    ++seen[piece];
    piece.set("abcdef", 3);
    ++seen[piece];
    piece.clear();
    ++seen[piece];
    gtl::InlinedVector<int64, 4> sizes = x.shape().dim_sizes();

    string* words = TypedAllocator::Allocate<string>(cpu_allocator(), 3,
                                                     AllocationAttributes());
    words[2] = "word";
    const int64 letters = words[2].size();
    TypedAllocator::Deallocate(cpu_allocator(), words, 3);

    const Status lost = errors::DataLoss("lost");
    int64 code = 0;
    switch (lost.code()) {
      case error::Code::DATA_LOSS:
        code = lost.code() == error::DATA_LOSS ? 15 : -1;
        break;
      default:
        break;
    }
    const bool on_gpu = ctx->device()->tensorflow_gpu_device_info() != nullptr;
    const std::vector<int64> facts = {n_,
                                      static_cast<int64>(seen.size()),
                                      seen["abc"],
                                      letters,
                                      static_cast<int64>(sizes.size()),
                                      code,
                                      on_gpu,
                                      ctx->is_eager()};
    Tensor* out = nullptr;
    OP_REQUIRES_OK(
        ctx,
        ctx->allocate_output(
            "facts", TensorShape({static_cast<int64>(facts.size())}), &out));
    std::copy(facts.begin(), facts.end(), out->vec<int64>().data());
  }

 private:
  static StatusOr<int64> Positive(OpKernelConstruction* ctx) {
    int64 n;
    TF_RETURN_IF_ERROR(ctx->GetAttr("n", &n));
    if (n <= 0) return errors::InvalidArgument("n must be > 0, got ", n);
    return n;
  }

  int64 n_;
};
REGISTER_SYSTEM_KERNEL_BUILDER(Name("CorpusContext").Device(DEVICE_CPU),
                               CorpusContextOp);

}  // namespace tensorflow
