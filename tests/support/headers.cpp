// Of what all tests precompile: tests/CMakeLists.txt.
