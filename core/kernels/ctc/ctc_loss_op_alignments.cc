// SPDX-License-Identifier: Apache-2.0
// The recursion over alignments.
//
// With S labels there are S blanks and one more, blank i in front of label i.
// A state is a blank or a label; B and A are the probabilities of ending there:
//
//   B[t][i] = p(blank) (B[t-1][i] + A[t-1][i-1])
//   A[t][i] = p(label i) (stay A[t-1][i] + B[t-1][i] + skip[i] A[t-1][i-1])
//
// where stay is 1 if repeated labels are merged, and skip[i] is 0 if label i
// needs a blank in front of it.  Kept apart, the two are plain loops over
// vectors.
//
// They run on probabilities in double precision, each step scaled by its sum.
// Probabilities too small for a double beside the sum are lost; if at some step
// so little of the states' future leads to the end that this might count,
// everything is computed again with logarithms, which lose nothing and are
// slow.

#include "core/kernels/ctc/ctc_loss_op_alignments.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "core/kernels/lib/reduction_ops_simd.h"
#include "core/kernels/lib/wide_loops.h"

namespace tensorwright {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
// If this share of the states' future at a step leads to the end, the losses of
// a double do not count.
constexpr double kEnough = 1e-250;

// Computes with probabilities as they are.
struct Plain {
  static constexpr double kZero = 0;
  static constexpr double kOne = 1;
  static constexpr bool kLosesSmall = true;
  // Below this sum its parts have too few digits left.
  static constexpr double kLeastSum = 1e-50;
  static double Log(double x) { return std::log(x); }
  static double Add(double a, double b) { return a + b; }
  static double Mul(double a, double b) { return a * b; }
  static double Inverse(double x) { return 1 / x; }
  static double Probability(double x) { return x; }
  static double Sum(const double* x, int64_t n) {
    return SimdReduce(SimdReduction::kSum, x, n);
  }
  // Turns logarithms into the numbers of the computation.
  static void FromLogs(double* x, int64_t n) { SimdExpAndSum(x, 0.0, x, n); }
};

// Computes with their logarithms.
struct Logarithms {
  static constexpr double kZero = -kInfinity;
  static constexpr double kOne = 0;
  static constexpr bool kLosesSmall = false;
  static constexpr double kLeastSum = -kInfinity;
  static double Log(double x) { return x; }
  static double Add(double a, double b) {
    if (a == -kInfinity) return b;
    if (b == -kInfinity) return a;
    return std::max(a, b) + std::log1p(std::exp(-std::abs(a - b)));
  }
  static double Mul(double a, double b) { return a + b; }
  static double Inverse(double x) { return -x; }
  static double Probability(double x) { return std::exp(x); }
  static double Sum(const double* x, int64_t n) {
    double sum = kZero;
    for (int64_t i = 0; i < n; ++i) sum = Add(sum, x[i]);
    return sum;
  }
  static void FromLogs(double*, int64_t) {}
};

// One step forward, for states [0, n): `blank` and `label` come from those of
// the step before, where before_label[-1] may be read.
template <class P>
struct ForwardLoop {
  TW_WIDE_LOOP static void Run(int64_t n, double p_blank, const double* p,
                               double stay, const double* skip,
                               const double* before_blank,
                               const double* before_label, double* blank,
                               double* label) {
    TW_VECTORIZE
    for (int64_t i = 0; i < n; ++i) {
      const double shorter = before_label[i - 1], same = before_blank[i];
      blank[i] = P::Mul(p_blank, P::Add(same, shorter));
      const double arrived = P::Add(same, P::Mul(skip[i], shorter));
      label[i] = P::Mul(p[i], P::Add(arrived, P::Mul(stay, before_label[i])));
    }
  }
};

// One step back: the probabilities of going on from each state to the end,
// computed from those of the step after it, `next_*`, which already count that
// step's class. next_*[n] may be read.
template <class P>
struct BackwardLoop {
  TW_WIDE_LOOP static void Run(int64_t n, double stay, const double* skip,
                               const double* next_blank,
                               const double* next_label, double* blank,
                               double* label) {
    TW_VECTORIZE
    for (int64_t i = 0; i < n; ++i) {
      const double longer = next_label[i + 1];
      blank[i] = P::Add(next_blank[i], next_label[i]);
      const double left =
          P::Add(next_blank[i + 1], P::Mul(skip[i + 1], longer));
      label[i] = P::Add(left, P::Mul(stay, next_label[i]));
    }
  }
};

// to[i] = by from[i].
template <class P>
struct ScaleLoop {
  TW_WIDE_LOOP static void Run(int64_t n, double by, const double* from,
                               double* to) {
    TW_VECTORIZE
    for (int64_t i = 0; i < n; ++i) to[i] = P::Mul(by, from[i]);
  }
};

// to[i] = a[i] b[i].
template <class P>
struct ProductLoop {
  TW_WIDE_LOOP static void Run(int64_t n, const double* a, const double* b,
                               double* to) {
    TW_VECTORIZE
    for (int64_t i = 0; i < n; ++i) to[i] = P::Mul(a[i], b[i]);
  }
};

// The recursion of one row, with arithmetic P.  Vectors over states have one
// spare element in front and two behind.
template <class P, typename T>
class Alignments {
 public:
  // log_p: [time, 1 + labels], for the blank and for each label.
  Alignments(absl::Span<const int32_t> labels, bool merge_repeated,
             int64_t time, std::vector<double> log_p)
      : labels_(labels),
        n_(static_cast<int64_t>(labels.size())),
        time_(time),
        width_(n_ + 3),
        stay_(merge_repeated ? P::kOne : P::kZero),
        skip_(width_, P::kZero),
        p_(std::move(log_p)),
        blank_(time * width_, P::kZero),
        label_(time * width_, P::kZero),
        sums_(time) {
    P::FromLogs(p_.data(), static_cast<int64_t>(p_.size()));
    for (int64_t i = 1; i < n_; ++i) {
      const bool repeated = merge_repeated && labels[i] == labels[i - 1];
      skip_[i] = repeated ? P::kZero : P::kOne;
    }
  }

  // The logarithm of the probability.
  double Forward() {
    Row(blank_, 0)[0] = P_(0)[0];
    if (n_ > 0) Row(label_, 0)[0] = P_(0)[1];
    sums_[0] = SumOf(0);
    double total = P::Log(sums_[0]);
    std::vector<double> scaled(n_ + 1);
    for (int64_t t = 1; t < time_ && !Hopeless(t - 1); ++t) {
      const int64_t low = Low(t), n = High(t) - low + 1;
      // Divides this step's classes by the sum of the step before.
      ScaleBy(P::Inverse(sums_[t - 1]), P_(t), n_ + 1, scaled.data());
      const int64_t labels = std::min(n, n_ - low);
      RunForward(t, low, labels, scaled);
      if (labels < n) {  // The blank after the last label.
        Row(blank_, t)[n_] =
            P::Mul(scaled[0],
                   P::Add(Row(blank_, t - 1)[n_], Row(label_, t - 1)[n_ - 1]));
      }
      sums_[t] = SumOf(t);
      total += P::Log(sums_[t]);
    }
    const int64_t last = time_ - 1;
    for (int64_t t = 0; t < time_; ++t) {
      if (Hopeless(t)) return std::isnan(sums_[t]) ? sums_[t] : -kInfinity;
    }
    double end = Row(blank_, last)[n_];
    if (n_ > 0) end = P::Add(end, Row(label_, last)[n_ - 1]);
    // `total` has the sum of the last step, of which `end` is a part.
    return total + P::Log(P::Mul(end, P::Inverse(sums_[last])));
  }

  // Subtracts from the softmax in `gradient` the probability that each step has
  // each class, given the labels.  False, with the work half done, if the lost
  // digits may count.
  bool Backward(const CtcLogits<T>& logits, T* gradient) {
    std::vector<double> next_blank(width_, P::kZero),
        next_label = next_blank, blank = next_blank, label = next_blank,
        product(n_ + 1);
    blank[1 + n_] = P::kOne;
    if (n_ > 0) label[n_] = P::kOne;
    for (int64_t t = time_ - 1; t >= 0; --t) {
      const int64_t low = Low(t), n = High(t) - low + 1;
      if (t + 1 < time_) {
        RunWide<BackwardLoop<P>>(
            n, stay_, skip_.data() + low, next_blank.data() + 1 + low,
            next_label.data() + 1 + low, blank.data() + 1 + low,
            label.data() + 1 + low);
      }
      const double sum = P::Add(P::Sum(blank.data() + 1 + low, n),
                                P::Sum(label.data() + 1 + low, n));
      const double share =
          Assign(t, low, n, blank, label, &product, logits, gradient);
      const double by = P::Inverse(sum);
      const double of_all = P::Mul(share, P::Mul(by, P::Inverse(sums_[t])));
      if (P::kLosesSmall && !(sum > P::kLeastSum && of_all > kEnough)) {
        return false;
      }
      // Multiplies by this step's classes, for the step before.
      const double* p = P_(t);
      ScaleBy(P::Mul(by, p[0]), blank.data() + 1 + low, n,
              next_blank.data() + 1 + low);
      RunWide<ProductLoop<P>>(std::min(n, n_ - low), p + 1 + low,
                              label.data() + 1 + low,
                              next_label.data() + 1 + low);
      ScaleBy(by, next_label.data() + 1 + low, std::min(n, n_ - low),
              next_label.data() + 1 + low);
      // Lower states are not reached at the step before from the states it
      // looks at.
      next_blank[low] = next_label[low] = P::kZero;
    }
    return true;
  }

 private:
  // States [Low, High] can be reached at step t, and reach the end.
  int64_t Low(int64_t t) const {
    return std::max<int64_t>(0, n_ - (time_ - t));
  }
  int64_t High(int64_t t) const { return std::min(n_, t); }
  // Element 0 of a step's vector.
  double* Row(std::vector<double>& x, int64_t t) {
    return x.data() + t * width_ + 1;
  }
  // Blank and labels.
  const double* P_(int64_t t) const { return p_.data() + t * (n_ + 1); }
  double SumOf(int64_t t) {
    const int64_t low = Low(t), n = High(t) - low + 1;
    return P::Add(P::Sum(Row(blank_, t) + low, n),
                  P::Sum(Row(label_, t) + low, n));
  }
  // True for no alignment, or none that this arithmetic can follow, or NaN.
  bool Hopeless(int64_t t) const { return !(sums_[t] > P::kLeastSum); }

  void ScaleBy(double by, const double* from, int64_t n, double* to) const {
    RunWide<ScaleLoop<P>>(n, by, from, to);
  }

  void RunForward(int64_t t, int64_t low, int64_t n,
                  const std::vector<double>& scaled) {
    RunWide<ForwardLoop<P>>(n, scaled[0], scaled.data() + 1 + low, stay_,
                            skip_.data() + low, Row(blank_, t - 1) + low,
                            Row(label_, t - 1) + low, Row(blank_, t) + low,
                            Row(label_, t) + low);
  }

  // For step t: takes the share of each state from the gradient of its class,
  // and returns the divisor of the shares.
  double Assign(int64_t t, int64_t low, int64_t n,
                const std::vector<double>& blank,
                const std::vector<double>& label, std::vector<double>* product,
                const CtcLogits<T>& logits, T* gradient) {
    T* out = gradient + t * logits.stride;
    RunWide<ProductLoop<P>>(n, Row(blank_, t) + low, blank.data() + 1 + low,
                            product->data());
    const double blanks = P::Sum(product->data(), n);
    RunWide<ProductLoop<P>>(n, Row(label_, t) + low, label.data() + 1 + low,
                            product->data());
    const double all = P::Add(blanks, P::Sum(product->data(), n));
    const double by = P::Inverse(all);
    out[logits.classes - 1] -=
        static_cast<T>(P::Probability(P::Mul(by, blanks)));
    for (int64_t i = low; i < std::min(low + n, n_); ++i) {
      out[labels_[i]] -=
          static_cast<T>(P::Probability(P::Mul(by, (*product)[i - low])));
    }
    return all;
  }

  const absl::Span<const int32_t> labels_;
  const int64_t n_, time_, width_;
  const double stay_;
  std::vector<double> skip_;
  std::vector<double> p_;
  std::vector<double> blank_, label_;  // [time, width]
  std::vector<double> sums_;           // For each step, after those before it.
};

// gradient = softmax(logits); returns the logarithms of the blank's probability
// and those of the labels, [time, 1 + labels].
template <typename T>
std::vector<double> Softmax(const CtcLogits<T>& logits,
                            absl::Span<const int32_t> labels, T* gradient) {
  std::vector<double> log_p;
  log_p.reserve(logits.time * (labels.size() + 1));
  for (int64_t t = 0; t < logits.time; ++t) {
    const T* x = logits.data + t * logits.stride;
    T* y = gradient + t * logits.stride;
    const T largest = SimdReduce(SimdReduction::kMax, x, logits.classes);
    const T sum = SimdExpAndSum(x, largest, y, logits.classes);
    const double norm = static_cast<double>(largest) + std::log(double{sum});
    const T by = 1 / sum;
    for (int64_t c = 0; c < logits.classes; ++c) y[c] *= by;
    log_p.push_back(static_cast<double>(x[logits.classes - 1]) - norm);
    for (const int32_t label : labels) {
      log_p.push_back(static_cast<double>(x[label]) - norm);
    }
  }
  return log_p;
}

// The least number of steps that an alignment takes.
int64_t LeastTime(absl::Span<const int32_t> labels, bool merge_repeated) {
  int64_t steps = static_cast<int64_t>(labels.size());
  for (size_t i = 1; merge_repeated && i < labels.size(); ++i) {
    steps += labels[i] == labels[i - 1];
  }
  return steps;
}

}  // namespace

template <typename T>
double CtcLoss(const CtcLogits<T>& logits, absl::Span<const int32_t> labels,
               bool merge_repeated, T* gradient) {
  if (logits.time == 0) return labels.empty() ? 0 : kInfinity;
  std::vector<double> log_p = Softmax(logits, labels, gradient);
  if (LeastTime(labels, merge_repeated) > logits.time) return kInfinity;
  Alignments<Plain, T> plain(labels, merge_repeated, logits.time, log_p);
  const double log = plain.Forward();
  if (log > -kInfinity && plain.Backward(logits, gradient)) return -log;

  log_p = Softmax(logits, labels, gradient);
  Alignments<Logarithms, T> exact(labels, merge_repeated, logits.time,
                                  std::move(log_p));
  const double exact_log = exact.Forward();
  if (exact_log > -kInfinity) exact.Backward(logits, gradient);
  if (std::isnan(exact_log)) {
    for (int64_t t = 0; t < logits.time; ++t) {
      std::fill_n(gradient + t * logits.stride, logits.classes,
                  std::numeric_limits<T>::quiet_NaN());
    }
  }
  return -exact_log;
}

template double CtcLoss<float>(const CtcLogits<float>&,
                               absl::Span<const int32_t>, bool, float*);
template double CtcLoss<double>(const CtcLogits<double>&,
                                absl::Span<const int32_t>, bool, double*);

}  // namespace tensorwright
