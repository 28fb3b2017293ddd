// The largest and the least of the lanes of a vector, infinities among them; included once per
// instruction set (by files that Highway compiles for several).
#if defined(COPPICE_GRAPH_LANES_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef COPPICE_GRAPH_LANES_INL
#undef COPPICE_GRAPH_LANES_INL
#else
#define COPPICE_GRAPH_LANES_INL
#endif

#include <hwy/highway.h>

#include <algorithm>

HWY_BEFORE_NAMESPACE();
namespace coppice::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// Where there are no vectors Highway's own functions begin with the largest finite number.
template <class Tag>
HWY_INLINE double LargestLane(Tag tag, hn::Vec<Tag> lanes) {
#if HWY_TARGET == HWY_EMU128
  double one[hn::MaxLanes(Tag())];
  hn::StoreU(lanes, tag, one);
  return *std::max_element(one, one + hn::Lanes(tag));
#else
  return hn::GetLane(hn::MaxOfLanes(tag, lanes));
#endif
}

template <class Tag>
HWY_INLINE double LeastLane(Tag tag, hn::Vec<Tag> lanes) {
  return -LargestLane(tag, hn::Neg(lanes));
}

}  // namespace coppice::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
