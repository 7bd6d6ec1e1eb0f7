// SPDX-License-Identifier: Apache-2.0
// GenerateBoundingBoxProposals: the best boxes that a region proposal network
// finds in images (Ren et al., "Faster R-CNN", 2015).

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "core/framework/op_kernel.h"
#include "core/framework/tensor.h"
#include "core/kernels/image/non_max_suppression_op.h"
#include "core/lib/core/errors.h"
#include "core/util/work_sharder.h"

namespace tensorwright {
namespace {

// A box is [top, left, bottom, right].
constexpr int kCorners = 4;

// The columns of image_info that count.
enum ImageInfo { kHeight, kWidth, kScale };

// The network's outputs for the places of one image.
struct Proposals {
  const float* scores;  // [places * anchors]
  const float* deltas;  // [places * anchors, 4]: dy, dx, dh, dw.
  const float* info;
  const float* anchors;  // [anchors, 4], or [places, anchors, 4].
  int64_t n, anchor_count;

  const float* AnchorOf(int64_t i) const {
    return anchors + kCorners * (i % anchor_count);
  }
};

// The box that anchor and deltas stand for, cut off at the image's edges: the
// middle moves by parts of the anchor's sides, which grow by exp(d).  They grow
// no more than from 16 to 1000 pixels, so that nothing overflows.
void Decode(const float* anchor, const float* delta, const float* info,
            float* box) {
  static const float kMostGrowth = std::log(1000.0f / 16.0f);
  for (int axis = 0; axis < 2; ++axis) {
    const float side = anchor[axis + 2] - anchor[axis];
    const float middle = anchor[axis] + 0.5f * side + delta[axis] * side;
    const float half =
        0.5f * side * std::exp(std::min(delta[axis + 2], kMostGrowth));
    const float end = info[kHeight + axis];
    box[axis] = std::max(std::min(middle - half, end), 0.0f);
    box[axis + 2] = std::max(std::min(middle + half, end), 0.0f);
  }
}

// The indices of the `most` best scores, the best first; NaN is no score.
std::vector<int64_t> BestOf(const float* scores, int64_t n, int64_t most) {
  std::vector<int64_t> best;
  for (int64_t i = 0; i < n; ++i) {
    if (!std::isnan(scores[i])) best.push_back(i);
  }
  most = std::min<int64_t>(most, best.size());
  std::partial_sort(best.begin(), best.begin() + most, best.end(),
                    [scores](int64_t a, int64_t b) {
                      return scores[a] > scores[b] ||
                             (scores[a] == scores[b] && a < b);
                    });
  best.resize(most);
  return best;
}

// Writes the boxes that are left of the best `before` to rois [size, 4] and
// probabilities [size], followed by zeros.
void Propose(const Proposals& p, int64_t before, float min_size,
             const Suppression<float>& by, float* rois, float* probabilities) {
  std::vector<float> boxes, scores;
  const float least = min_size * p.info[kScale];
  for (const int64_t i : BestOf(p.scores, p.n, before)) {
    float box[kCorners];
    Decode(p.AnchorOf(i), p.deltas + kCorners * i, p.info, box);
    if (!(box[2] - box[0] >= least && box[3] - box[1] >= least)) continue;
    boxes.insert(boxes.end(), box, box + kCorners);
    scores.push_back(p.scores[i]);
  }
  const Selected<float> selected = SelectBoxes(
      by, boxes.data(), kCorners, scores.data(), int64_t(scores.size()));
  std::fill_n(rois, kCorners * by.most, 0.0f);
  std::fill_n(probabilities, by.most, 0.0f);
  for (size_t i = 0; i < selected.indices.size(); ++i) {
    std::copy_n(boxes.data() + kCorners * selected.indices[i], kCorners,
                rois + kCorners * i);
    probabilities[i] = selected.scores[i];
  }
}

class GenerateBoundingBoxProposalsOp final : public OpKernel {
 public:
  explicit GenerateBoundingBoxProposalsOp(OpKernelConstruction* ctx)
      : OpKernel(ctx) {
    OP_REQUIRES_OK(ctx, ctx->GetAttr("post_nms_topn", &post_nms_topn_));
  }

  void Compute(OpKernelContext* ctx) override {
    const Tensor& scores = ctx->input(0);
    const Tensor& anchors = ctx->input(3);
    const int64_t images = scores.dim_size(0);
    Proposals all;
    all.scores = scores.base<float>();
    all.deltas = ctx->input(1).base<float>();
    all.info = ctx->input(2).base<float>();
    all.anchors = anchors.base<float>();
    all.anchor_count = anchors.NumElements() / kCorners;
    all.n = scores.dim_size(1) * scores.dim_size(2) * scores.dim_size(3);
    OP_REQUIRES(
        ctx,
        anchors.NumElements() == kCorners * scores.dim_size(3) ||
            anchors.NumElements() == kCorners * all.n,
        errors::InvalidArgument(
            type_string(), ": anchors must be ", scores.dim_size(3), " or ",
            all.n, ", one for each score of a place or of an image, got shape ",
            anchors.shape().DebugString()));
    Suppression<float> by;
    by.most = post_nms_topn_;
    by.max_overlap = *ctx->input(4).base<float>();
    by.min_score = -std::numeric_limits<float>::infinity();
    OP_REQUIRES(ctx, by.max_overlap >= 0 && by.max_overlap <= 1,
                errors::InvalidArgument(
                    type_string(), ": nms_threshold must be in [0, 1], got ",
                    by.max_overlap));
    const int64_t before = *ctx->input(5).base<int32_t>();
    OP_REQUIRES(ctx, before > 0,
                errors::InvalidArgument(
                    type_string(), ": pre_nms_topn must be > 0, got ", before));
    const float min_size = *ctx->input(6).base<float>();
    TensorShape shape;
    OP_REQUIRES_OK(ctx, TensorShape::BuildTensorShape(
                            {images, by.most, int64_t{kCorners}}, &shape));
    Tensor *rois = nullptr, *probabilities = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, shape, &rois));
    OP_REQUIRES_OK(ctx, ctx->allocate_output(1, TensorShape({images, by.most}),
                                             &probabilities));
    const int64_t columns = ctx->input(2).dim_size(1);
    ParallelFor(ctx, images, 100 * all.n + 1, [&](int64_t begin, int64_t end) {
      for (int64_t b = begin; b < end; ++b) {
        Proposals one = all;
        one.scores += b * all.n;
        one.deltas += b * all.n * kCorners;
        one.info += b * columns;
        Propose(one, before, min_size, by,
                rois->base<float>() + b * by.most * kCorners,
                probabilities->base<float>() + b * by.most);
      }
    });
  }

 private:
  int64_t post_nms_topn_ = 0;
};
REGISTER_KERNEL_BUILDER(Name("GenerateBoundingBoxProposals").Device(DEVICE_CPU),
                        GenerateBoundingBoxProposalsOp);

}  // namespace
}  // namespace tensorwright
