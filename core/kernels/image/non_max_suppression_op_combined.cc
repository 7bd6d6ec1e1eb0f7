// SPDX-License-Identifier: Apache-2.0
// CombinedNonMaxSuppression: the best boxes of all classes of an image.

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

#include "core/framework/op_kernel.h"
#include "core/framework/tensor.h"
#include "core/kernels/image/non_max_suppression_op.h"
#include "core/util/work_sharder.h"

namespace tensorwright {
namespace {

// boxes: [n, box_classes, 4], scores: [n, classes].
struct Detections {
  const float* boxes;
  const float* scores;
  int64_t n, box_classes, classes;

  const float* BoxesOf(int64_t c) const {
    return boxes + (box_classes == 1 ? 0 : c) * 4;
  }
  int64_t box_step() const { return box_classes * 4; }
};

struct Found {
  int64_t label;
  int32_t index;
  float score;
};

// The best boxes of each class, all together by falling score.
std::vector<Found> FindAll(const Detections& d, const Suppression<float>& by) {
  std::vector<Found> found;
  std::vector<float> scores(d.n);
  for (int64_t c = 0; c < d.classes; ++c) {
    for (int64_t i = 0; i < d.n; ++i) scores[i] = d.scores[i * d.classes + c];
    const Selected<float> selected =
        SelectBoxes(by, d.BoxesOf(c), d.box_step(), scores.data(), d.n);
    for (size_t i = 0; i < selected.indices.size(); ++i) {
      found.push_back({c, selected.indices[i], selected.scores[i]});
    }
  }
  std::stable_sort(
      found.begin(), found.end(),
      [](const Found& a, const Found& b) { return a.score > b.score; });
  return found;
}

class CombinedNonMaxSuppressionOp final : public OpKernel {
 public:
  explicit CombinedNonMaxSuppressionOp(OpKernelConstruction* ctx)
      : OpKernel(ctx) {
    OP_REQUIRES_OK(ctx, ctx->GetAttr("pad_per_class", &pad_per_class_));
    OP_REQUIRES_OK(ctx, ctx->GetAttr("clip_boxes", &clip_boxes_));
  }

  void Compute(OpKernelContext* ctx) override {
    const Tensor& boxes = ctx->input(0);
    const Tensor& scores = ctx->input(1);
    Suppression<float> by;
    by.most = *ctx->input(2).base<int32_t>();
    int64_t size = *ctx->input(3).base<int32_t>();
    by.max_overlap = *ctx->input(4).base<float>();
    by.min_score = *ctx->input(5).base<float>();
    OP_REQUIRES(ctx, by.most > 0 && size > 0,
                errors::InvalidArgument(
                    "CombinedNonMaxSuppression: max_output_size_per_class and "
                    "max_total_size must be > 0, got ",
                    by.most, " and ", size));
    OP_REQUIRES(ctx, by.max_overlap >= 0 && by.max_overlap <= 1,
                errors::InvalidArgument("CombinedNonMaxSuppression: "
                                        "iou_threshold must be in [0, 1], got ",
                                        by.max_overlap));
    const int64_t batch = boxes.dim_size(0), n = boxes.dim_size(1);
    const int64_t classes = scores.dim_size(2);
    if (pad_per_class_) size = std::min(size, by.most * classes);
    Tensor* outs[4];
    TensorShape shapes[4];
    OP_REQUIRES_OK(ctx, TensorShape::BuildTensorShape({batch, size, int64_t{4}},
                                                      &shapes[0]));
    shapes[1] = shapes[2] = TensorShape({batch, size});
    shapes[3] = TensorShape({batch});
    for (int i = 0; i < 4; ++i) {
      OP_REQUIRES_OK(ctx, ctx->allocate_output(i, shapes[i], &outs[i]));
    }
    const int64_t box_classes = boxes.dim_size(2);
    ParallelFor(
        ctx, batch, classes * n * 100 + 1, [&](int64_t begin, int64_t end) {
          for (int64_t b = begin; b < end; ++b) {
            const Detections d{boxes.base<float>() + b * n * box_classes * 4,
                               scores.base<float>() + b * n * classes, n,
                               box_classes, classes};
            Write(d, FindAll(d, by), b, size, outs);
          }
        });
  }

 private:
  void Write(const Detections& d, const std::vector<Found>& found, int64_t b,
             int64_t size, Tensor** outs) const {
    const int64_t n = std::min<int64_t>(size, found.size());
    float* boxes = outs[0]->base<float>() + b * size * 4;
    float* scores = outs[1]->base<float>() + b * size;
    float* classes = outs[2]->base<float>() + b * size;
    std::fill_n(boxes, size * 4, 0.0f);
    std::fill_n(scores, size, 0.0f);
    std::fill_n(classes, size, 0.0f);
    for (int64_t i = 0; i < n; ++i) {
      const float* box =
          d.BoxesOf(found[i].label) + found[i].index * d.box_step();
      for (int k = 0; k < 4; ++k) {
        boxes[4 * i + k] =
            clip_boxes_ ? std::max(std::min(box[k], 1.0f), 0.0f) : box[k];
      }
      scores[i] = found[i].score;
      classes[i] = static_cast<float>(found[i].label);
    }
    outs[3]->base<int32_t>()[b] = static_cast<int32_t>(n);
  }

  bool pad_per_class_ = false, clip_boxes_ = true;
};
REGISTER_KERNEL_BUILDER(Name("CombinedNonMaxSuppression").Device(DEVICE_CPU),
                        CombinedNonMaxSuppressionOp);

}  // namespace
}  // namespace tensorwright
