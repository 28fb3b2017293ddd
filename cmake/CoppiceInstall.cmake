# cmake --install, and find_package(coppice) from what it installs.
include(CMakePackageConfigHelpers)

install(TARGETS coppice EXPORT coppiceTargets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
if(COPPICE_BUILD_CLI)
  install(TARGETS coppice_io EXPORT coppiceTargets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
endif()
install(DIRECTORY include/coppice DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(EXPORT coppiceTargets NAMESPACE coppice::
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/coppice)
configure_package_config_file(cmake/coppiceConfig.cmake.in coppiceConfig.cmake
                              INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/coppice)
write_basic_package_version_file(coppiceConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/coppiceConfig.cmake
              ${CMAKE_CURRENT_BINARY_DIR}/coppiceConfigVersion.cmake
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/coppice)
