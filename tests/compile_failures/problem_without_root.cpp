// The root rule cannot be left out.
#include <coppice/problem.hpp>

#ifdef MUST_NOT_COMPILE
const coppice::Problem problem{.objective = coppice::Objective::minimize};
#else
const coppice::Problem problem{.root = coppice::RootRule::any,
                               .objective = coppice::Objective::minimize};
#endif
