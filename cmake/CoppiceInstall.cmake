# cmake --install, and find_package(coppice) or pkg-config from what it installs.
include(CMakePackageConfigHelpers)

install(TARGETS coppice coppice_paper EXPORT coppiceTargets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
set(COPPICE_HEADERS_LEFT_OUT)
if(COPPICE_BUILD_CLI)
  install(TARGETS coppice_io EXPORT coppiceTargets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
else()
  set(COPPICE_HEADERS_LEFT_OUT REGEX "/(io|view)\\.hpp$" EXCLUDE)
endif()
install(DIRECTORY include/coppice DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} ${COPPICE_HEADERS_LEFT_OUT})
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(EXPORT coppiceTargets NAMESPACE coppice::
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/coppice)
configure_package_config_file(cmake/coppiceConfig.cmake.in coppiceConfig.cmake
                              INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/coppice)
write_basic_package_version_file(coppiceConfigVersion.cmake COMPATIBILITY SameMajorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/coppiceConfig.cmake
              ${CMAKE_CURRENT_BINARY_DIR}/coppiceConfigVersion.cmake
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/coppice)

# For users of other build systems; the files may be moved together.
set(pc_folder ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
string(REGEX REPLACE "[^/]+" ".." COPPICE_PREFIX_FROM_PC ${pc_folder})
set(COPPICE_CXX_RUNTIME)
foreach(runtime IN ITEMS stdc++ c++)
  if(runtime IN_LIST CMAKE_CXX_IMPLICIT_LINK_LIBRARIES)
    set(COPPICE_CXX_RUNTIME -l${runtime})
  endif()
endforeach()
# coppice_pc(FILE LIBRARY DESCRIPTION REQUIRES [option of the linker...])
function(coppice_pc name library description requires)
  list(JOIN ARGN " " libs)
  configure_file(cmake/coppice.pc.in ${name}.pc @ONLY)
  install(FILES ${CMAKE_CURRENT_BINARY_DIR}/${name}.pc DESTINATION ${pc_folder})
endfunction()
coppice_pc(coppice coppice "${PROJECT_DESCRIPTION}" libhwy ${COPPICE_CXX_RUNTIME} -lm -pthread)
coppice_pc(coppice-paper coppice_paper "The paper's algorithms (paper.hpp, engines.hpp)" coppice)
if(COPPICE_BUILD_CLI)
  coppice_pc(coppice-io coppice_io "Files and pictures (io.hpp, view.hpp)" "coppice, fmt, expat, zlib")
endif()
