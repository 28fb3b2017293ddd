// The matrices of many sentences, and work that goes through them on several threads.
#pragma once

#include <coppice/error.hpp>
#include <cstddef>
#include <exception>
#include <utility>
#include <vector>

#include "arrays.hpp"
#include "graph/sentences.hpp"
#include "interrupt.hpp"

namespace coppice::python {

// Python adds all sentences in one of four forms.
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

  // A list of matrices that can be taken as they are: arrays of this type and of no other, all
  // float32, all float64 or all int64. How many nodes each has; nothing, and nothing is added,
  // where one of them needs a closer look.
  std::optional<std::vector<std::int64_t>> add_plain(const nb::list& list, nb::handle type) {
    std::vector<std::int64_t> nodes;
    for (nb::handle item : list) {
      Array array;
      if (!item.type().is(type) || !nb::try_cast(item, array, false) || !is_plain(array)) return {};
      if (!arrays_.empty() && array.dtype() != arrays_.front().dtype()) return {};
      nodes.push_back(static_cast<std::int64_t>(array.shape(0)));
      arrays_.push_back(std::move(array));
    }
    for (const Array& array : arrays_) matrices_.push_back(matrix_of(array));
    return nodes;
  }

  std::size_t size() const { return matrices_.size(); }
  const Matrix& operator[](std::size_t sentence) const { return matrices_[sentence]; }

 private:
  std::vector<Matrix> matrices_;
  std::vector<Array> arrays_;  // keep the memory of the matrices alive
};

// Sentence -> the exception that says what is wrong with it.
inline nb::dict errors_of(const std::vector<Failure>& failures) {
  nb::dict errors;
  for (std::size_t b = 0; b < failures.size(); ++b) {
    const auto& [code, text] = failures[b];
    if (code == ErrorCode::none) continue;
    auto* type = code == ErrorCode::out_of_memory ? PyExc_MemoryError : PyExc_ValueError;
    errors[nb::int_(b)] = nb::borrow(type)(nb::str(text.c_str()));
  }
  return errors;
}

// decode(worker, sentence) for all of them; where it throws, give_up(sentence) writes what stands
// for nothing. Returns errors_of() what was thrown.
template <class Worker, class Decode, class GiveUp>
nb::dict decode_sentences(std::size_t count, int threads, const Decode& decode,
                          const GiveUp& give_up) {
  std::vector<Failure> failures(count);
  // What Python code raised that is no error of a sentence: KeyboardInterrupt, SystemExit.
  std::exception_ptr ended;
  interruptible([&](StopSource& source) {
    try {
      for_each_sentence<Worker>(
          count, threads,
          [&](auto& worker, std::size_t b) {
            try {
              decode(worker, b);
            } catch (const nb::python_error& error) {
              nb::gil_scoped_acquire lock;
              if (error.matches(PyExc_Exception)) throw;
              if (!ended) ended = std::current_exception();
              source.request();
              throw Stopped();
            }
          },
          [&](std::size_t b) {
            failures[b] = Failure::current();
            give_up(b);
          });
    } catch (const Stopped&) {
      if (ended) std::rethrow_exception(ended);
      throw;
    }
  });
  return errors_of(failures);
}

}  // namespace coppice::python
