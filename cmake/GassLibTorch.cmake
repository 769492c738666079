# LibTorch as people have it: the torch wheel (built for CPUs or for CUDA), an unpacked libtorch archive, or conda's. Its own
# TorchConfig.cmake insists on the CUDA toolkit wherever LibTorch was built for CUDA; its headers, libtorch_cpu and libc10 are
# all that we compile and link with. The CUDA half is loaded when a GPU is asked for (src/engine/device.cpp), so that one
# program runs on the CPU of machines that have neither driver nor CUDA libraries.

# scripts/setup writes where it found one; GASS_TORCH, a folder, takes precedence.
set(GASS_LIBTORCH "" CACHE PATH "LibTorch: the folder with its include and lib; empty: what scripts/setup chose")
set(libtorch ${GASS_LIBTORCH})
set(setup_choice ${PROJECT_SOURCE_DIR}/.deps/torch_dir)
if(NOT libtorch AND IS_DIRECTORY "$ENV{GASS_TORCH}")
  set(libtorch $ENV{GASS_TORCH})
elseif(NOT libtorch AND EXISTS ${setup_choice})
  file(STRINGS ${setup_choice} libtorch LIMIT_COUNT 1)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${setup_choice})
endif()
if(NOT libtorch)
  message(FATAL_ERROR "No LibTorch was named: run scripts/setup, or set GASS_TORCH to a folder with LibTorch's include and lib")
endif()
get_filename_component(libtorch ${libtorch} ABSOLUTE)

foreach(needed include/ATen/ATen.h include/torch/headeronly/version.h lib/libtorch_cpu.so lib/libc10.so)
  if(NOT EXISTS ${libtorch}/${needed})
    message(FATAL_ERROR "${libtorch} is no LibTorch of version 2.11 or newer: it has no ${needed}")
  endif()
endforeach()

foreach(part MAJOR MINOR PATCH)
  file(STRINGS ${libtorch}/include/torch/headeronly/version.h line REGEX "^#define TORCH_VERSION_${part} " LIMIT_COUNT 1)
  string(REGEX MATCH "[0-9]+$" libtorch_${part} "${line}")
endforeach()
set(GASS_LIBTORCH_VERSION ${libtorch_MAJOR}.${libtorch_MINOR}.${libtorch_PATCH})
if(GASS_LIBTORCH_VERSION VERSION_LESS 2.11)
  message(FATAL_ERROR "LibTorch ${GASS_LIBTORCH_VERSION} in ${libtorch} is too old: gass needs 2.11 or newer")
endif()

# Debian's C++ libraries, which we use too, have the strings of C++11. So has every LibTorch since 2.7 but some built by hand.
file(STRINGS ${libtorch}/lib/libc10.so cxx11 REGEX "__cxx11" LIMIT_COUNT 1)
if(NOT cxx11)
  message(FATAL_ERROR "LibTorch in ${libtorch} was built with the C++ ABI of before 2011 (_GLIBCXX_USE_CXX11_ABI=0), which "
    "cannot be mixed with this system's libraries: take the torch wheel, or the archive with the C++11 ABI")
endif()

if(EXISTS ${libtorch}/lib/libtorch_cuda.so)
  message(STATUS "LibTorch ${GASS_LIBTORCH_VERSION}, built for CUDA: ${libtorch}")
else()
  message(STATUS "LibTorch ${GASS_LIBTORCH_VERSION}, for CPUs: ${libtorch}")
endif()
set(GASS_LIBTORCH_DIR ${libtorch})


# at::parallel_for in our own files runs side by side only where it is compiled for OpenMP, with the library that LibTorch
# brings: two would start twice as many threads as there are cores.
file(GLOB libgomp LIST_DIRECTORIES false ${libtorch}/lib/libgomp*.so.1 ${libtorch}/../torch.libs/libgomp*.so.1)
if(NOT libgomp)
  find_package(OpenMP REQUIRED COMPONENTS CXX)
  set(libgomp ${OpenMP_CXX_LIBRARIES})
endif()

add_library(gass_libtorch INTERFACE)
target_include_directories(gass_libtorch SYSTEM INTERFACE ${libtorch}/include ${libtorch}/include/torch/csrc/api/include)
target_link_libraries(gass_libtorch INTERFACE ${libtorch}/lib/libtorch_cpu.so ${libtorch}/lib/libc10.so ${libgomp})
target_compile_options(gass_libtorch INTERFACE $<$<CXX_COMPILER_ID:GNU>:-fopenmp>)
target_compile_definitions(gass_libtorch INTERFACE
  _GLIBCXX_USE_CXX11_ABI=1
  # LibTorch brings headers of its own fmt, without the library. They come first in the search; used header-only they live
  # beside Debian's fmt, whose names carry another version.
  FMT_HEADER_ONLY)
