// Highway compiles this file once per instruction set: it includes itself by foreach_target.h.
#include "distribution/lanes.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "distribution/lanes.cpp"
#include <hwy/foreach_target.h>
//
#include <hwy/highway.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "distribution/exp-inl.hpp"
#include "distribution/range.hpp"

HWY_BEFORE_NAMESPACE();
namespace coppice::distribution::HWY_NAMESPACE {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

HWY_INLINE Vec Get(const double* at) { return hn::Load(Tag(), at); }
HWY_INLINE void Put(Vec value, double* at) { hn::Store(value, Tag(), at); }
HWY_INLINE Vec Const(double value) { return hn::Set(Tag(), value); }

// As many of the eight sentences as a register holds, from `lane` on. The algorithms are those of
// elimination.hpp.
class Slice {
 public:
  Slice(const LaneProblem& problem, LaneResults& results, std::size_t lane)
      : words_(problem.words),
        nodes_(words_ + 1),
        lane_(lane),
        single_(problem.single),
        weights_(problem.weights + lane),
        next_(problem.arena + lane),
        results_(results) {}

  void Run(bool with_marginals) {
    double* scaled = Take(nodes_ * nodes_);
    sums_ = Take(nodes_);
    Start();
    Scale(scaled);
    if (with_marginals) {
      double* reach = Take(words_ * words_);
      FindReach(scaled, nodes_, words_, true, reach);
      Finish(scaled, reach);
    } else {
      double* eliminated = Take(nodes_ * nodes_);
      Copy(scaled, nodes_, words_, eliminated, 0);
      Eliminate(eliminated, nodes_, 0);
      for (std::size_t v = words_; v >= 1; --v) Pivot(v, Get(At(eliminated, nodes_, v, v)));
    }
    Store();
  }

 private:
  template <class T>
  static T* At(T* matrix, std::size_t rows, std::size_t h, std::size_t d) {
    return matrix + (d * rows + h) * kLanes;
  }
  double* Take(std::size_t count) {
    double* begin = next_;
    next_ += count * kLanes;
    return begin;
  }

  void Start() {
    for (double* value : {results_.mantissa, results_.safe_mantissa})
      Put(Const(1.0), value + lane_);
    for (double* value :
         {results_.steps, results_.safe_steps, results_.mean, results_.shift, results_.shift_rest})
      Put(Const(0.0), value + lane_);
    complete_ = in_range_ = Const(1.0);
  }
  void Store() {
    Put(complete_, results_.complete + lane_);
    Put(in_range_, results_.in_range + lane_);
  }

  void Scale(double* scaled) {
    const std::size_t top = single_ ? 1 : 0;
    for (std::size_t d = 1; d < nodes_; ++d) {
      Vec highest = Const(-kInfinity);
      for (std::size_t h = top; h < nodes_; ++h)
        highest = hn::Max(highest, Get(At(weights_, nodes_, h, d)));
      const Vec shift = hn::IfThenZeroElse(hn::Eq(highest, Const(-kInfinity)), highest);
      Put(shift, results_.shifts.data() + d * kLanes + lane_);
      for (std::size_t h = top; h < nodes_; ++h) {
        Vec low;
        const Vec high = ExactSumOf(Get(At(weights_, nodes_, h, d)), hn::Neg(shift), low);
        const Vec value = ExpOf(high, low);
        if (h != d && h > 0) complete_ = hn::IfThenElseZero(hn::Gt(value, Const(0.0)), complete_);
        Put(value, At(scaled, nodes_, h, d));
      }
      const double* column = At(scaled, nodes_, top, d);
      Put(SumOf(nodes_ - top, [&](std::size_t i) { return Get(column + i * kLanes); }),
          sums_ + d * kLanes);
    }
    if (single_) ScaleRoot(scaled);
  }

  void ScaleRoot(double* scaled) {
    double* low = Take(nodes_);
    Vec most = Const(-kInfinity), most_low = Const(0.0);
    for (std::size_t d = 1; d < nodes_; ++d) {
      Vec rest;
      const Vec shift = Get(results_.shifts.data() + d * kLanes + lane_);
      const Vec high = ExactSumOf(Get(At(weights_, nodes_, 0, d)), hn::Neg(shift), rest);
      rest = hn::IfThenZeroElse(hn::Eq(high, Const(-kInfinity)), rest);
      Put(high, At(scaled, nodes_, 0, d));
      Put(rest, low + d * kLanes);
      const auto better = hn::Or(hn::Gt(high, most),  // is_less() of exact_sum.hpp
                                 hn::And(hn::Eq(high, most), hn::Gt(rest, most_low)));
      most = hn::IfThenElse(better, high, most);
      most_low = hn::IfThenElse(better, rest, most_low);
    }
    Put(most, results_.shift + lane_);
    Put(most_low, results_.shift_rest + lane_);
    for (std::size_t d = 1; d < nodes_; ++d) {
      Vec high_low, low_low, sum_low;
      const Vec high = ExactSumOf(Get(At(scaled, nodes_, 0, d)), hn::Neg(most), high_low);
      const Vec rest = ExactSumOf(Get(low + d * kLanes), hn::Neg(most_low), low_low);
      const Vec sum = ExactSumOf(high, rest, sum_low);
      Put(ExpOf(sum, hn::Add(sum_low, hn::Add(high_low, low_low))), At(scaled, nodes_, 0, d));
    }
  }

  // The sum of at(0) to at(count - 1), those of equal index modulo 8 first, as panels have it.
  template <class At>
  HWY_INLINE static Vec SumOf(std::size_t count, const At& at) {
    Vec part[8];
    for (Vec& sum : part) sum = Const(0.0);
    std::size_t i = 0;
    for (; i + 8 <= count; i += 8)
      for (std::size_t j = 0; j < 8; ++j) part[j] = hn::Add(part[j], at(i + j));
    for (std::size_t j = 0; i + j < count; ++j) part[j] = hn::Add(part[j], at(i + j));
    return hn::Add(hn::Add(hn::Add(part[0], part[4]), hn::Add(part[2], part[6])),
                   hn::Add(hn::Add(part[1], part[5]), hn::Add(part[3], part[7])));
  }

  // The first `words` words of `from` and the root; those after `half` first where it is not 0.
  void Copy(const double* from, std::size_t rows, std::size_t words, double* to, std::size_t half) {
    auto old = [&](std::size_t i) {
      return i == 0 || half == 0 ? i : i <= words - half ? half + i : i - (words - half);
    };
    for (std::size_t d = 1; d <= words; ++d)
      for (std::size_t h = 0; h <= words; ++h)
        Put(Get(At(from, rows, old(h), old(d))), At(to, words + 1, h, d));
  }

  void Eliminate(double* w, std::size_t rows, std::size_t keep) {
    for (std::size_t v = rows - 1; v > keep; --v) {
      double* column = At(w, rows, 0, v);
      const bool without_root = single_ && v > 1;
      const Vec sum = SumOf(v, [&](std::size_t h) {
        return h == 0 && without_root ? Const(0.0) : Get(column + h * kLanes);
      });
      Check(sum);
      Put(sum, column + v * kLanes);
      const Vec inverse = hn::Div(Const(1.0), sum);
      for (std::size_t h = 0; h < v; ++h)
        Put(hn::Mul(Get(column + h * kLanes), inverse), column + h * kLanes);
      for (std::size_t d = 1; d < v; ++d) {
        double* other = At(w, rows, 0, d);
        const Vec weight = Get(other + v * kLanes);
        for (std::size_t h = 0; h < v; ++h)
          Put(hn::Add(Get(other + h * kLanes), hn::Mul(Get(column + h * kLanes), weight)),
              other + h * kLanes);
      }
    }
  }

  // NaN is out of range, too.
  HWY_INLINE void Check(Vec sum) {
    in_range_ = hn::IfThenElseZero(hn::Ge(sum, Const(kSafeSum)), in_range_);
  }

  // The pivot of word v in the order that ends with word 1.
  void Pivot(std::size_t v, Vec pivot) {
    Multiply(pivot, results_.mantissa + lane_, results_.steps + lane_);
    const Vec safe = v > 1 ? hn::Div(pivot, Get(sums_ + v * kLanes)) : hn::Min(pivot, Const(1.0));
    Multiply(safe, results_.safe_mantissa + lane_, results_.safe_steps + lane_);
  }
  static void Multiply(Vec factor, double* mantissa, double* steps) {
    Vec product = hn::Mul(Get(mantissa), factor);
    const auto small = hn::Lt(product, Const(0x1p-400));
    product = hn::IfThenElse(small, hn::Mul(product, Const(0x1p400)), product);
    Put(hn::IfThenElse(small, hn::Sub(Get(steps), Const(1.0)), Get(steps)), steps);
    const auto large = hn::Gt(product, Const(0x1p400));
    Put(hn::IfThenElse(large, hn::Mul(product, Const(0x1p-400)), product), mantissa);
    Put(hn::IfThenElse(large, hn::Add(Get(steps), Const(1.0)), Get(steps)), steps);
  }

  // reach[d][h], columns words_ apart, words counted from 0.
  void FindReach(const double* w, std::size_t rows, std::size_t words, bool first, double* reach) {
    if (words == 1) {
      const Vec root = Get(At(w, rows, 0, 1));
      Check(root);
      if (first) Pivot(1, root);
      Put(Const(0.0), reach);
      return;
    }
    if (words == 2) return FindReachOfTwo(w, rows, first, reach);
    FindHalf(w, rows, words, true, first, reach);
    FindHalf(w, rows, words, false, false, reach);
  }

  void FindReachOfTwo(const double* w, std::size_t rows, bool first, double* reach) {
    const Vec root1 = Get(At(w, rows, 0, 1)), root2 = Get(At(w, rows, 0, 2));
    const Vec from2 = Get(At(w, rows, 2, 1)), from1 = Get(At(w, rows, 1, 2));
    const Vec sum1 = single_ ? from2 : hn::Add(root1, from2);
    const Vec sum2 = single_ ? from1 : hn::Add(root2, from1);
    const Vec up1 = hn::Mul(root1, hn::Div(Const(1.0), sum1));
    const Vec up2 = hn::Mul(root2, hn::Div(Const(1.0), sum2));
    const Vec last1 = hn::Add(root1, hn::Mul(up2, from2));
    const Vec last2 = hn::Add(root2, hn::Mul(up1, from1));
    for (Vec sum : {sum1, sum2, last1, last2}) Check(sum);
    if (first) {
      Pivot(2, sum2);
      Pivot(1, last1);
    }
    Put(Const(0.0), At(reach, words_, 0, 0));
    Put(Const(0.0), At(reach, words_, 1, 1));
    Put(up2, At(reach, words_, 1, 0));
    Put(up1, At(reach, words_, 0, 1));
  }

  // reach(., d) for the words d of one half, the other half being eliminated.
  void FindHalf(const double* w, std::size_t rows, std::size_t words, bool front, bool first,
                double* reach) {
    double* const before = next_;
    const std::size_t half = words / 2, kept = front ? half : words - half, gone = words - kept;
    double* part = Take((words + 1) * (words + 1));
    Copy(w, rows, words, part, front ? 0 : half);
    Eliminate(part, words + 1, kept);
    if (first)
      for (std::size_t v = words; v > kept; --v) Pivot(v, Get(At(part, words + 1, v, v)));
    double* own = front ? reach : At(reach, words_, half, half);
    FindReach(part, words + 1, kept, first, own);
    double* hit = Take(gone * (kept + 1));
    FindHits(part, kept, gone, hit);
    for (std::size_t d = 0; d < kept; ++d)
      for (std::size_t b = 0; b < gone; ++b) {
        const double* hits = At(hit, kept + 1, 0, b);
        Vec sum = Get(hits);
        for (std::size_t a = 0; a < kept; ++a)
          sum = hn::Add(sum, hn::Mul(Get(hits + (a + 1) * kLanes), Get(At(own, words_, a, d))));
        // The other half comes after the words that are kept, or before them.
        Put(sum, front ? At(reach, words_, half + b, d) : At(reach, words_, b, half + d));
      }
    next_ = before;
  }

  // Where the walk from each eliminated word first meets a kept word or the root.
  static void FindHits(const double* part, std::size_t kept, std::size_t gone, double* hit) {
    const std::size_t rows = kept + gone + 1;
    for (std::size_t b = 0; b < gone; ++b) {
      const double* column = At(part, rows, 0, kept + 1 + b);
      for (std::size_t a = 0; a <= kept; ++a) {
        Vec sum = Get(column + a * kLanes);
        for (std::size_t u = 0; u < b; ++u)
          sum = hn::Add(
              sum, hn::Mul(Get(At(hit, kept + 1, a, u)), Get(column + (kept + 1 + u) * kLanes)));
        Put(sum, At(hit, kept + 1, a, b));
      }
    }
  }

  // The marginals; for the entropy each word's likeliest head, and the mean of the weights without.
  void Finish(const double* scaled, const double* reach) {
    Vec mean = Const(0.0);
    for (std::size_t d = 1; d < nodes_; ++d) {
      double* column = At(results_.marginals.data() + lane_, nodes_, 0, d);
      const Vec sum = SumOf(nodes_, [&](std::size_t h) {
        Vec value = h == d ? Const(0.0) : Get(At(scaled, nodes_, h, d));
        if (h > 0) value = hn::Mul(value, Get(At(reach, words_, h - 1, d - 1)));
        Put(value, column + h * kLanes);
        return value;
      });
      const Vec inverse = hn::Div(Const(1.0), sum);
      Vec highest = Const(-1.0), reference = Const(0.0);
      for (std::size_t h = 0; h < nodes_; ++h) {
        const Vec value = hn::Mul(Get(column + h * kLanes), inverse);
        const auto higher = hn::Gt(value, highest);
        highest = hn::IfThenElse(higher, value, highest);
        reference = hn::IfThenElse(higher, Get(At(weights_, nodes_, h, d)), reference);
        Put(value, column + h * kLanes);
      }
      mean = hn::Add(mean, SumOf(nodes_, [&](std::size_t h) {
                       const Vec value = Get(column + h * kLanes);
                       const Vec term =
                           hn::Mul(value, hn::Sub(Get(At(weights_, nodes_, h, d)), reference));
                       return hn::IfThenElseZero(hn::Gt(value, Const(0.0)), term);
                     }));
      Put(reference, results_.references.data() + d * kLanes + lane_);
    }
    Put(mean, results_.mean + lane_);
  }

  std::size_t words_, nodes_, lane_;
  bool single_;
  const double* weights_;
  double* next_;
  LaneResults& results_;
  double* sums_ = nullptr;   // of the weights into each word; for a single root from words
  Vec complete_, in_range_;  // 1 or 0
};

void Solve(const LaneProblem& problem, LaneResults& results) {
  for (std::size_t lane = 0; lane < kLanes; lane += hn::Lanes(Tag()))
    Slice(problem, results, lane).Run(problem.with_marginals);
}

SolveLanes Solver() { return Solve; }

}  // namespace coppice::distribution::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace coppice::distribution {

HWY_EXPORT(Solver);

SolveLanes lane_solver() {
  static const SolveLanes chosen = HWY_DYNAMIC_DISPATCH(Solver)();
  return chosen;
}

std::vector<SolveLanes> lane_solvers() {
  std::vector<SolveLanes> found;
  for (const std::int64_t target : hwy::SupportedAndGeneratedTargets()) {
    hwy::GetChosenTarget().Update(target);
    found.push_back(HWY_DYNAMIC_DISPATCH(Solver)());
  }
  hwy::GetChosenTarget().Update(hwy::SupportedTargets());
  return found;
}

// Each level of the search for reach takes half as many words, or one more.
std::size_t lane_arena(std::size_t words) {
  std::size_t nodes = words + 1, room = 4 * nodes * nodes;
  for (; words > 2; words -= words / 2) room += 2 * (words + 1) * (words + 1);
  return room * kLanes;
}

void Lanes::solve(std::span<Sentence> sentences, std::size_t words, RootRule root) {
  const std::size_t nodes = words + 1, elements = nodes * nodes * kLanes;
  const bool single = root == RootRule::single;
  const bool with_marginals = sentences[0].marginals != nullptr;
  weights_.resize(elements);
  arena_.resize(lane_arena(words));
  results_.shifts.resize(nodes * kLanes);
  if (with_marginals) {
    results_.references.resize(nodes * kLanes);
    results_.marginals.resize(elements);
  }
  // Lanes that are not used have a graph of equal weights.
  if (sentences.size() < kLanes) std::fill_n(weights_.data(), elements, 0.0);
  for (std::size_t lane = 0; lane < sentences.size(); ++lane)
    for (std::size_t d = 1; d < nodes; ++d)
      for (std::size_t h = 0; h < nodes; ++h)
        weights_.data()[(d * nodes + h) * kLanes + lane] =
            sentences[lane].weights[d * sentences[lane].size + h];
  solver_({words, single, with_marginals, weights_.data(), arena_.data()}, results_);
  for (std::size_t lane = 0; lane < sentences.size(); ++lane)
    finish(sentences[lane], lane, words, single);
}

void Lanes::finish(Sentence& sentence, std::size_t lane, std::size_t words, bool single) const {
  const LaneResults& found = results_;
  const std::size_t nodes = words + 1;
  auto log_of = [&](const double* mantissa, const double* steps) {
    constexpr double kLogStep = 400 * 0.69314718055994530942;
    return std::log(mantissa[lane]) + steps[lane] * kLogStep;
  };
  sentence.log_partition.reset();
  if (found.in_range[lane] == 0.0 || (single && found.complete[lane] == 0.0) ||
      !(log_of(found.safe_mantissa, found.safe_steps) > kSafeLogProduct))
    return;
  ExactSum log_partition;
  for (std::size_t d = 1; d < nodes; ++d) log_partition.add(found.shifts.data()[d * kLanes + lane]);
  if (single) {
    log_partition.add(found.shift[lane]);
    log_partition.add(found.shift_rest[lane]);
  }
  log_partition.add(log_of(found.mantissa, found.steps));
  sentence.log_partition = log_partition;
  if (sentence.marginals == nullptr) return;
  for (std::size_t h = 0; h < nodes; ++h) {
    double* row = sentence.marginals + h * sentence.pitch;
    row[0] = 0.0;
    for (std::size_t d = 1; d < nodes; ++d)
      row[d] = found.marginals.data()[(d * nodes + h) * kLanes + lane];
  }
  ExactSum entropy;
  for (std::size_t d = 1; d < nodes; ++d) entropy.add(-found.references.data()[d * kLanes + lane]);
  entropy.add(-found.mean[lane]);
  entropy.add(log_partition);
  sentence.entropy = std::max(0.0, entropy.value());
}

}  // namespace coppice::distribution
#endif
