# The readers, writers and pictures: what the program has beyond the library.
add_library(coppice_io STATIC)
add_library(coppice::io ALIAS coppice_io)
set_target_properties(coppice_io PROPERTIES EXPORT_NAME io)
coppice_target(coppice_io)
target_link_libraries(coppice_io PUBLIC coppice
                                 PRIVATE EXPAT::EXPAT fmt::fmt nlohmann_json::nlohmann_json
                                         ZLIB::ZLIB)
coppice_together(coppice_io UNITY_BUILD_BATCH_SIZE 6)
add_subdirectory(src/text)
add_subdirectory(src/io)
add_subdirectory(src/view)
