// Whatever the threads do, parcels are filled and handed on one at a time and in order.
#include "conveyor.hpp"

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>
#include <thread>

namespace coppice::cli {
namespace {

struct Number {
  int value = -1;
  bool is_worked_on = false;
  std::int64_t weight() const { return 1 + value % 3; }
};

// Hands on 0, 1, 2 ... and watches.
class Watched {
 public:
  explicit Watched(int count) : count_(count) {}

  int filling_fails_at = -1, work_fails_at = -1, handing_on_fails_at = -1;
  bool filling_fails_first = false;  // where both do

  // Throws what the conveyor throws.
  void on(int threads, std::size_t parcels, std::int64_t most_weight) {
    most_weight_ = most_weight;
    parcels_ = parcels;
    Conveyor<Number> conveyor(parcels, most_weight, Number());
    conveyor_ = &conveyor;
    {
      std::vector<std::jthread> all;
      for (int i = 0; i < threads; ++i)
        all.emplace_back([&] {
          conveyor.run([&](Number& number) { return fill(number); },
                       [&](Number& number) { work(number); },
                       [&](Number& number) { hand_on(number); });
        });
    }
    EXPECT_EQ(conveyor.is_broken(), work_fails_at >= 0 || handing_on_fails_at >= 0);
    conveyor.finish();
  }

  int handed_on() const { return handed_on_; }

 private:
  bool fill(Number& number) {
    EXPECT_EQ(fillers_++, 0);
    if (begun_ == filling_fails_at) {
      // At the worst moment: after the other failure, and before anyone learns of it.
      while (handing_on_fails_at >= 0 && !filling_fails_first && !conveyor_->is_broken())
        std::this_thread::yield();
      filling_failed_ = true;
      throw std::runtime_error("filling");
    }
    const bool more = begun_ < count_;
    if (more) {
      // What another thread hands on meanwhile makes it less.
      EXPECT_LT(begun_ - handed_on_, static_cast<int>(parcels_));
      EXPECT_TRUE(weight_ < most_weight_ || begun_ == handed_on_);
      number = {begun_++, false};
      weight_ += number.weight();
    }
    --fillers_;
    return more;
  }

  void work(Number& number) const {
    if (number.value % 7 == 0) std::this_thread::yield();
    if (number.value == work_fails_at) throw std::runtime_error("work");
    number.is_worked_on = true;
  }

  void hand_on(Number& number) {
    EXPECT_EQ(handers_++, 0);
    if (number.value == handing_on_fails_at) {
      while (filling_fails_first && !filling_failed_) std::this_thread::yield();
      throw std::runtime_error("handing on");
    }
    EXPECT_TRUE(number.is_worked_on);
    EXPECT_EQ(number.value, handed_on_);
    weight_ -= number.weight();
    ++handed_on_;
    --handers_;
  }

  int count_;
  const Conveyor<Number>* conveyor_ = nullptr;
  std::int64_t most_weight_ = 0;
  std::size_t parcels_ = 0;
  std::atomic<int> begun_ = 0, handed_on_ = 0, fillers_ = 0, handers_ = 0;
  std::atomic<std::int64_t> weight_ = 0;
  std::atomic<bool> filling_failed_ = false;
};

struct Case {
  int threads;
  std::size_t parcels;
  std::int64_t most_weight;
};

std::string name_of(const Case& chosen) {
  return std::to_string(chosen.threads) + "Threads" + std::to_string(chosen.parcels) + "Parcels" +
         std::to_string(chosen.most_weight);
}
void PrintTo(const Case& chosen, std::ostream* out) { *out << name_of(chosen); }

class Conveyors : public testing::TestWithParam<Case> {
 protected:
  void go(Watched& run) const {
    run.on(GetParam().threads, GetParam().parcels, GetParam().most_weight);
  }

  std::string thrown_by(Watched& run) const {
    try {
      go(run);
    } catch (const std::runtime_error& error) {
      return error.what();
    }
    return "nothing";
  }
};

TEST_P(Conveyors, HandOnEverythingInOrder) {
  for (const int count : {0, 1, 2, 500}) {
    Watched run(count);
    go(run);
    EXPECT_EQ(run.handed_on(), count);
  }
}

TEST_P(Conveyors, HandOnWhatCameBeforeABadPlaceOfTheInput) {
  for (const int bad : {0, 1, 40}) {
    Watched run(100);
    run.filling_fails_at = bad;
    EXPECT_EQ(thrown_by(run), "filling");
    EXPECT_EQ(run.handed_on(), bad);
  }
}

TEST_P(Conveyors, EndWhereWorkFails) {
  for (const int bad : {0, 1, 40}) {
    Watched run(1'000'000);
    run.work_fails_at = bad;
    EXPECT_EQ(thrown_by(run), "work");
    EXPECT_LE(run.handed_on(), bad);
  }
}

TEST_P(Conveyors, EndWhereHandingOnFails) {
  for (const int bad : {0, 1, 40}) {
    Watched run(1'000'000);
    run.handing_on_fails_at = bad;
    EXPECT_EQ(thrown_by(run), "handing on");
    EXPECT_EQ(run.handed_on(), bad);
  }
}

// What comes first in the input is what is told.
TEST_P(Conveyors, AFailureOfHandingOnComesBeforeOneOfFilling) {
  Watched run(100);
  run.filling_fails_at = 41;
  run.handing_on_fails_at = 40;
  EXPECT_EQ(thrown_by(run), "handing on");
}

TEST(Conveyor, AFailureOfFillingIsForgottenWhereHandingOnFailsLater) {
  Watched run(100);
  run.filling_fails_at = 41;
  run.handing_on_fails_at = 40;
  run.filling_fails_first = true;
  EXPECT_THROW(
      try { run.on(2, 4, 100); } catch (const std::runtime_error& error) {
        EXPECT_STREQ(error.what(), "handing on");
        throw;
      },
      std::runtime_error);
}

INSTANTIATE_TEST_SUITE_P(Threads, Conveyors,
                         testing::Values(Case{1, 1, 100}, Case{1, 3, 1}, Case{2, 2, 100},
                                         Case{4, 12, 1}, Case{4, 12, 5}, Case{8, 24, 1000}),
                         [](const auto& chosen) { return name_of(chosen.param); });

}  // namespace
}  // namespace coppice::cli
