# The libraries that coppice uses, compiled along from their sources where these are in a folder: an
# sdist brings them, and wheels for other machines are made with them (tools/third_party.sh). Their
# targets have the names that find_package gives them, here and in folders below: a project that adds
# coppice finds its own libraries, and coppice takes those that the project has found before.
set(COPPICE_COMPILED_ALONG)
set(COPPICE_THIRD_PARTY "${PROJECT_SOURCE_DIR}/third_party"
    CACHE PATH "Sources of the libraries to compile along, where there is such a folder")
if(NOT EXISTS ${COPPICE_THIRD_PARTY}/complete)
  return()
endif()
message(STATUS "Compiled along, from ${COPPICE_THIRD_PARTY}: Highway, fmt, expat, zlib")
enable_language(C)

# third_party(package imported_target include_folder [source...]): a static library, or headers alone
function(third_party package target includes)
  string(REPLACE :: _ name third_party_${target})
  if(ARGN)
    list(TRANSFORM ARGN PREPEND ${COPPICE_THIRD_PARTY}/)
    add_library(${name} STATIC ${ARGN})
    set_target_properties(${name} PROPERTIES CXX_VISIBILITY_PRESET hidden C_VISIBILITY_PRESET hidden
                                             UNITY_BUILD OFF EXCLUDE_FROM_ALL ON)
    target_compile_options(${name} PRIVATE $<IF:$<BOOL:${MSVC}>,/w,-w>)
    target_include_directories(${name} SYSTEM PUBLIC ${COPPICE_THIRD_PARTY}/${includes})
  else()
    add_library(${name} INTERFACE)
    target_include_directories(${name} SYSTEM INTERFACE ${COPPICE_THIRD_PARTY}/${includes})
  endif()
  if(NOT TARGET ${target})
    add_library(${target} INTERFACE IMPORTED)
    target_link_libraries(${target} INTERFACE ${name})
  endif()
  set(COPPICE_COMPILED_ALONG ${COPPICE_COMPILED_ALONG} ${package} PARENT_SCOPE)
endfunction()

if(COPPICE_BUILD_TESTS AND EXISTS ${COPPICE_THIRD_PARTY}/googletest)
  find_package(Threads REQUIRED)
  third_party(GTest GTest::gtest googletest/googletest/include googletest/googletest/src/gtest-all.cc)
  third_party(GTest GTest::gtest_main googletest/googletest/include googletest/googletest/src/gtest_main.cc)
  target_include_directories(third_party_GTest_gtest PRIVATE ${COPPICE_THIRD_PARTY}/googletest/googletest)
  target_link_libraries(third_party_GTest_gtest PUBLIC Threads::Threads)
  target_link_libraries(third_party_GTest_gtest_main PUBLIC third_party_GTest_gtest)
endif()
third_party(Eigen3 Eigen3::Eigen eigen)
third_party(CLI11 CLI11::CLI11 cli11/include)
third_party(nlohmann_json nlohmann_json::nlohmann_json json/include)
third_party(fmt fmt::fmt fmt/include fmt/src/format.cc fmt/src/os.cc)
third_party(hwy hwy::hwy highway highway/hwy/aligned_allocator.cc highway/hwy/per_target.cc
            highway/hwy/targets.cc)
target_compile_definitions(third_party_hwy_hwy PUBLIC HWY_STATIC_DEFINE)
third_party(ZLIB ZLIB::ZLIB zlib zlib/adler32.c zlib/crc32.c zlib/deflate.c zlib/inffast.c zlib/inflate.c
            zlib/inftrees.c zlib/trees.c zlib/zutil.c)
third_party(EXPAT EXPAT::EXPAT expat/lib expat/lib/xmlparse.c expat/lib/xmlrole.c expat/lib/xmltok.c)
# What its own build would find out. Systems that have neither are Windows, which it knows.
file(WRITE ${CMAKE_CURRENT_BINARY_DIR}/expat/expat_config.h
     "#define BYTEORDER 1234\n#define XML_CONTEXT_BYTES 1024\n#define XML_DTD 1\n#define XML_NS 1\n"
     "#ifdef __APPLE__\n#define HAVE_ARC4RANDOM_BUF 1\n#else\n#define XML_DEV_URANDOM 1\n#endif\n")
target_include_directories(third_party_EXPAT_EXPAT PRIVATE ${CMAKE_CURRENT_BINARY_DIR}/expat)
target_compile_definitions(third_party_EXPAT_EXPAT PUBLIC XML_STATIC)
