#include "program.hpp"

int main(int argc, char** argv) { return coppice::cli::program(argc, argv); }
