// The root rule cannot be left out.
#include <coppice/which.hpp>

#ifdef MUST_NOT_COMPILE
const coppice::Which which{.objective = coppice::Objective::minimize};
#else
const coppice::Which which{.root = coppice::RootRule::any,
                           .objective = coppice::Objective::minimize};
#endif
