# A toolchain: the compiler of PyPI's ziglang, which has the headers and stubs of every glibc, and so
# makes programs for old systems and other machines. tools/cross.sh sets the variables.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR $ENV{COPPICE_ARCH})
set(CMAKE_C_COMPILER $ENV{COPPICE_ZIG}/cc)
set(CMAKE_CXX_COMPILER $ENV{COPPICE_ZIG}/c++)
set(CMAKE_AR $ENV{COPPICE_ZIG}/ar)
set(CMAKE_RANLIB $ENV{COPPICE_ZIG}/ranlib)
# For a machine that is not this one (tools/cross.sh).
if(DEFINED ENV{COPPICE_EMULATOR})
  set(CMAKE_CROSSCOMPILING_EMULATOR $ENV{COPPICE_EMULATOR})
endif()
# The linker leaves out what strip would: that of the system knows no other machines.
set(CMAKE_STRIP "")
foreach(kind IN ITEMS EXE MODULE SHARED)
  set(CMAKE_${kind}_LINKER_FLAGS_INIT -s)
endforeach()
