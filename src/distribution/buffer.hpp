// Room for numbers that are not filled in: the first write of a large one takes a while, and is to
// be done in steps after which the call can be stopped.
#pragma once

#include <cstddef>
#include <memory>

namespace coppice::distribution {

class Buffer {
 public:
  // What it held is lost where it grows.
  void make_room(std::size_t size) {
    if (size <= capacity_) return;
    capacity_ = 0;
    numbers_.reset();
    numbers_ = std::make_unique_for_overwrite<double[]>(size);
    capacity_ = size;
  }
  double* data() { return numbers_.get(); }
  const double* data() const { return numbers_.get(); }
  double& operator[](std::size_t i) { return numbers_[i]; }
  const double& operator[](std::size_t i) const { return numbers_[i]; }
  std::size_t capacity() const { return capacity_; }

 private:
  std::unique_ptr<double[]> numbers_;
  std::size_t capacity_ = 0;
};

}  // namespace coppice::distribution
