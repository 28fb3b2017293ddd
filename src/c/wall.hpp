// What stands between C and the library: exceptions become codes and texts, pointers are looked at
// before they are used.
#pragma once

#include <coppice/coppice.h>

#include <coppice/error.hpp>
#include <coppice/stop.hpp>
#include <cstddef>
#include <new>
#include <span>
#include <stdexcept>
#include <string>

#include "graph/phrases.hpp"

namespace coppice::c {

static_assert(static_cast<int>(ErrorCode::none) == COPPICE_OK &&
              static_cast<int>(ErrorCode::bad_weight) == COPPICE_BAD_WEIGHT &&
              static_cast<int>(ErrorCode::bad_graph) == COPPICE_BAD_GRAPH &&
              static_cast<int>(ErrorCode::bad_tree) == COPPICE_BAD_TREE &&
              static_cast<int>(ErrorCode::bad_constraint) == COPPICE_BAD_CONSTRAINT &&
              static_cast<int>(ErrorCode::bad_argument) == COPPICE_BAD_ARGUMENT &&
              static_cast<int>(ErrorCode::out_of_memory) == COPPICE_OUT_OF_MEMORY &&
              static_cast<int>(ErrorCode::other) == COPPICE_OTHER);
inline coppice_status status_of(ErrorCode code) { return static_cast<coppice_status>(code); }

// Keeps the text for this thread, cut where it is very long; returns the code. Allocates nothing.
coppice_status fail(coppice_status status, const char* text) noexcept;
const char* last_error() noexcept;

// Calls it; the code of what it throws.
template <class Call>
coppice_status guarded(const Call& call) noexcept {
  try {
    call();
    return COPPICE_OK;
  } catch (const Error& error) {
    return fail(status_of(error.code()), error.what());
  } catch (const Stopped& stopped) {
    return fail(COPPICE_STOPPED, stopped.what());
  } catch (const std::bad_alloc&) {
    return fail(COPPICE_OUT_OF_MEMORY, "out of memory");
  } catch (const std::length_error&) {  // more than there could ever be
    return fail(COPPICE_OUT_OF_MEMORY, "out of memory");
  } catch (const std::exception& error) {
    return fail(COPPICE_OTHER, error.what());
  } catch (...) {
    return fail(COPPICE_OTHER, "unknown error");
  }
}

[[noreturn]] inline void reject(const std::string& text) {
  throw Error(ErrorCode::bad_argument, text);
}

// What a pointer points to. Throws Error for null.
template <class T>
T& given(const char* name, T* pointer) {
  if (pointer == nullptr) reject(std::string(name) + " is a null pointer");
  return *pointer;
}

// Where a new handle goes, null until then.
template <class T>
T*& output(const char* name, T** pointer) {
  return given(name, pointer) = nullptr;
}

template <class T>
std::span<const T> array(const char* name, const T* data, std::size_t count) {
  if (data == nullptr && count > 0)
    reject(std::string(name) + " is a null pointer, but said to have " + counted(count, "element"));
  return {data, count};
}

}  // namespace coppice::c
