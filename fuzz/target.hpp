// The fuzz targets: each is a function of bytes in a namespace of its own, so that all are one
// program.
#pragma once

#include "bytes.hpp"

// Whatever the bytes are, nothing breaks.
#define COPPICE_FUZZ_TARGET(name)          \
  namespace coppice::fuzz::name##_target { \
    void run(Bytes bytes);                 \
  }
COPPICE_FUZZ_TARGET(c)
COPPICE_FUZZ_TARGET(commands)
COPPICE_FUZZ_TARGET(conllu)
COPPICE_FUZZ_TARGET(distribution)
COPPICE_FUZZ_TARGET(engines)
COPPICE_FUZZ_TARGET(hostile)
COPPICE_FUZZ_TARGET(labelled)
COPPICE_FUZZ_TARGET(labels)
COPPICE_FUZZ_TARGET(names)
COPPICE_FUZZ_TARGET(npz)
COPPICE_FUZZ_TARGET(options)
COPPICE_FUZZ_TARGET(rules)
COPPICE_FUZZ_TARGET(scores)
COPPICE_FUZZ_TARGET(trees)
COPPICE_FUZZ_TARGET(wasm)
#undef COPPICE_FUZZ_TARGET
