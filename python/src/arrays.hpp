// Arrays in and out of Python. The package hands over CPU arrays of float32, float64 or int64,
// scores as [head, dependent]; here they become views, and results become arrays.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <algorithm>
#include <coppice/graph.hpp>
#include <coppice/labels.hpp>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace coppice::python {

namespace nb = nanobind;

// An array that is only read, of any type and shape ...
using Array = nb::ndarray<nb::ro, nb::device::cpu>;
// ... or of one type, contiguous.
template <class T>
using Column = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
// An array to write to, contiguous.
template <class T>
using Output = nb::ndarray<T, nb::c_contig, nb::device::cpu>;

// Throws std::invalid_argument for other types.
Scalar scalar_of(const Array& array);

// Throws std::invalid_argument unless the array of that name has this shape.
template <class Checked>
void check_shape(const Checked& array, std::initializer_list<std::size_t> shape, const char* name) {
  const auto text = [](const auto& sizes, std::size_t count) {
    std::string out = "[";
    for (std::size_t i = 0; i < count; ++i) out += (i == 0 ? "" : ", ") + std::to_string(sizes[i]);
    return out + "]";
  };
  std::vector<std::size_t> own;
  for (std::size_t i = 0; i < array.ndim(); ++i) own.push_back(array.shape(i));
  if (std::equal(own.begin(), own.end(), shape.begin(), shape.end())) return;
  throw std::invalid_argument(std::string(name) + " has shape " + text(own, own.size()) +
                              ", must be " + text(shape.begin(), shape.size()));
}

// A square matrix of one of these types, its elements aligned?
bool is_plain(const Array& array);

// A matrix somewhere in memory, not yet checked: strides count elements.
struct Matrix {
  const void* data = nullptr;
  Scalar scalar = Scalar::float64;
  std::int64_t nodes = 0;
  std::int64_t head_stride = 0;
  std::int64_t dependent_stride = 0;

  // Throws std::invalid_argument for fewer than two nodes.
  DenseView view() const;
};

// All of a square array ...
Matrix matrix_of(const Array& array);
// ... the upper left corner of one layer of [sentences, nodes, nodes] ...
Matrix matrix_of(const Array& array, std::int64_t sentence, std::int64_t nodes);
// ... a contiguous matrix that begins at an element of a flat array.
Matrix flat_matrix(const Array& array, std::int64_t start, std::int64_t nodes,
                   bool dependents_first);

// Scores of the labels of every arc, [head, dependent, choice], and perhaps which labels they are.
struct LabelChoices {
  const float* scores = nullptr;  // none: no labels
  const std::int32_t* labels = nullptr;
  std::int64_t choices = 0;
  std::int64_t score_strides[3] = {0, 0, 0};
  std::int64_t label_strides[3] = {0, 0, 0};
};

using LabelScoreArray = nb::ndarray<const float, nb::device::cpu>;
using LabelIdArray = nb::ndarray<const std::int32_t, nb::device::cpu>;

// The last three axes of the arrays, of sentence b where there are four.
LabelChoices label_choices(const LabelScoreArray& scores, const std::optional<LabelIdArray>& labels,
                           std::int64_t sentence = 0);

LabelledGraph labelled(const DenseView& arcs, const LabelChoices& choices);

template <class T>
std::span<const T> span_of(const Column<T>& column) {
  return {column.data(), column.size()};
}

// A new numpy array of that shape; values has as many elements. Element: T, or const T for an array
// that is only read.
template <class Element, class T>
nb::object new_numpy(std::vector<T> values, std::initializer_list<std::size_t> shape) {
  auto* held = new std::vector<T>(std::move(values));
  nb::capsule owner(held, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
  using NewArray = nb::ndarray<nb::numpy, Element>;
  return nb::cast(NewArray(held->data(), shape.size(), shape.begin(), owner));
}
template <class T>
nb::object to_numpy(std::vector<T> values, std::initializer_list<std::size_t> shape) {
  return new_numpy<T>(std::move(values), shape);
}
template <class T>
nb::object read_only(std::vector<T> values, std::initializer_list<std::size_t> shape) {
  return new_numpy<const T>(std::move(values), shape);
}

}  // namespace coppice::python
