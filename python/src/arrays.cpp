#include "arrays.hpp"

#include <cstddef>
#include <stdexcept>

namespace coppice::python {
namespace {

const void* element(const Array& array, std::int64_t offset) {
  auto size = static_cast<std::int64_t>(array.itemsize());
  return static_cast<const std::byte*>(array.data()) + offset * size;
}

}  // namespace

Scalar scalar_of(const Array& array) {
  if (array.dtype() == nb::dtype<float>()) return Scalar::float32;
  if (array.dtype() == nb::dtype<double>()) return Scalar::float64;
  if (array.dtype() == nb::dtype<std::int64_t>()) return Scalar::int64;
  throw std::invalid_argument("scores must be float32, float64 or int64");
}

bool is_plain(const Array& array) {
  const auto type = array.dtype();
  return (type == nb::dtype<float>() || type == nb::dtype<double>() ||
          type == nb::dtype<std::int64_t>()) &&
         array.ndim() == 2 && array.shape(0) == array.shape(1) && array.shape(0) > 0 &&
         reinterpret_cast<std::uintptr_t>(array.data()) % array.itemsize() == 0;
}

DenseView Matrix::view() const {
  switch (scalar) {
    case Scalar::float32:
      return {static_cast<const float*>(data), nodes, head_stride, dependent_stride};
    case Scalar::float64:
      return {static_cast<const double*>(data), nodes, head_stride, dependent_stride};
    case Scalar::int64:
      break;
  }
  return {static_cast<const std::int64_t*>(data), nodes, head_stride, dependent_stride};
}

Matrix matrix_of(const Array& array) {
  if (array.ndim() != 2 || array.shape(0) != array.shape(1))
    throw std::invalid_argument("scores must be a square matrix");
  return {array.data(), scalar_of(array), static_cast<std::int64_t>(array.shape(0)),
          array.stride(0), array.stride(1)};
}

Matrix matrix_of(const Array& array, std::int64_t sentence, std::int64_t nodes) {
  return {element(array, sentence * array.stride(0)), scalar_of(array), nodes, array.stride(1),
          array.stride(2)};
}

Matrix flat_matrix(const Array& array, std::int64_t start, std::int64_t nodes,
                   bool dependents_first) {
  return {element(array, start), scalar_of(array), nodes, dependents_first ? 1 : nodes,
          dependents_first ? nodes : 1};
}

LabelChoices label_choices(const LabelScoreArray& scores, const std::optional<LabelIdArray>& labels,
                           std::int64_t sentence) {
  std::size_t first = scores.ndim() - 3;  // of the axes of one sentence
  LabelChoices choices;
  choices.choices = static_cast<std::int64_t>(scores.shape(first + 2));
  choices.scores = scores.data() + (first == 1 ? sentence * scores.stride(0) : 0);
  if (labels) choices.labels = labels->data() + (first == 1 ? sentence * labels->stride(0) : 0);
  for (std::size_t axis = 0; axis < 3; ++axis) {
    choices.score_strides[axis] = scores.stride(first + axis);
    if (labels) choices.label_strides[axis] = labels->stride(first + axis);
  }
  return choices;
}

LabelledGraph labelled(const DenseView& arcs, const LabelChoices& choices) {
  std::vector<float> scores;
  std::vector<std::int32_t> labels;
  auto offset = [](const std::int64_t* strides, std::int64_t h, std::int64_t d, std::int64_t c) {
    return h * strides[0] + d * strides[1] + c * strides[2];
  };
  for (Node h = 0; h < arcs.nodes(); ++h)
    for (Node d = 0; d < arcs.nodes(); ++d)
      for (std::int64_t c = 0; c < choices.choices; ++c) {
        scores.push_back(choices.scores[offset(choices.score_strides, h, d, c)]);
        if (choices.labels != nullptr)
          labels.push_back(choices.labels[offset(choices.label_strides, h, d, c)]);
      }
  return label_arcs(
      arcs, {.scores = scores, .ids = labels, .per_arc = static_cast<int>(choices.choices)});
}

}  // namespace coppice::python
