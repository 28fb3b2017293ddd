// The matrices of many sentences, and work that goes through them on several threads.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <exception>
#include <string>
#include <utility>
#include <vector>

#include "arrays.hpp"
#include "interrupt.hpp"

namespace coppice::python {

// Python adds all sentences in one of three forms.
class Sentences {
 public:
  // [sentences, nodes, nodes]: sentence b is the upper left corner of layer b.
  void add_padded(Array scores, Column<std::int64_t> nodes) {
    for (std::size_t b = 0; b < nodes.size(); ++b)
      matrices_.push_back(matrix_of(scores, static_cast<std::int64_t>(b), nodes.data()[b]));
    arrays_.push_back(std::move(scores));
  }
  // [elements]: the matrix of sentence b is contiguous, its first element at starts[b].
  void add_flat(Array scores, Column<std::int64_t> starts, Column<std::int64_t> nodes,
                bool dependents_first) {
    for (std::size_t b = 0; b < nodes.size(); ++b)
      matrices_.push_back(flat_matrix(scores, starts.data()[b], nodes.data()[b], dependents_first));
    arrays_.push_back(std::move(scores));
  }
  // [nodes, nodes]: one sentence.
  void add(Array scores) {
    matrices_.push_back(matrix_of(scores));
    arrays_.push_back(std::move(scores));
  }

  std::size_t size() const { return matrices_.size(); }
  const Matrix& operator[](std::size_t sentence) const { return matrices_[sentence]; }
  double most_edges() const {
    double most = 0.0;
    for (const Matrix& matrix : matrices_) most = std::max(most, static_cast<double>(matrix.nodes));
    return most * most;
  }

 private:
  std::vector<Matrix> matrices_;
  std::vector<Array> arrays_;  // keep the memory of the matrices alive
};

// (sentence, what is wrong with it)
using SentenceErrors = std::vector<std::pair<std::size_t, std::string>>;

// A job whose pieces are sentences. Each thread has a worker of its own.
template <class Worker>
class SentenceJob : public Job {
 public:
  explicit SentenceJob(Sentences sentences)
      : sentences_(std::move(sentences)), errors_(sentences_.size()) {}

  void work(Checkpoint& checkpoint) noexcept final {
    // A few sentences at a time, so that threads rarely meet and long sentences do not pile up.
    constexpr std::size_t kChunk = 8;
    Worker worker;
    for (std::size_t begin; (begin = next_.fetch_add(kChunk)) < sentences_.size();)
      for (std::size_t b = begin; b < std::min(begin + kChunk, sentences_.size()); ++b) {
        if (checkpoint.leave()) return;
        try {
          decode(b, worker);
        } catch (const std::exception& error) {
          errors_[b] = error.what();
          give_up(b, worker);
        }
      }
  }

  SentenceErrors errors() const {
    SentenceErrors found;
    for (std::size_t b = 0; b < errors_.size(); ++b)
      if (!errors_[b].empty()) found.emplace_back(b, errors_[b]);
    return found;
  }

 protected:
  const Sentences& sentences() const { return sentences_; }

 private:
  virtual void decode(std::size_t sentence, Worker& worker) = 0;
  // The sentence cannot be decoded: write what stands for nothing.
  virtual void give_up(std::size_t sentence, Worker& worker) noexcept = 0;

  Sentences sentences_;
  std::vector<std::string> errors_;
  std::atomic<std::size_t> next_ = 0;
};

}  // namespace coppice::python
