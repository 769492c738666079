# Our own warnings, and ccache. Everything here is applied to our targets only, through gass_options.

add_library(gass_options INTERFACE)
target_compile_options(gass_options INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wnon-virtual-dtor -Wold-style-cast -Woverloaded-virtual
  # GCC 12 sees overlap in every "literal" + std::string (its bug 105651), and other things in its own headers where they
  # are precompiled and inlined. GCC 13 and 14 take any reference from a call with a temporary string_view for a dangling one.
  "$<$<CXX_COMPILER_ID:GNU>:-Wno-restrict;-Wno-dangling-reference;-Wno-error=array-bounds;-Wno-error=stringop-overflow>"
  $<$<BOOL:${GASS_WERROR}>:-Werror>)

set(GASS_SANITIZE "" CACHE STRING "Sanitizers: address (with undefined behaviour), or thread")
if(GASS_SANITIZE STREQUAL "thread")
  add_compile_options(-fsanitize=thread)
  add_link_options(-fsanitize=thread)
elseif(GASS_SANITIZE)
  add_compile_options(-fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer)
  add_link_options(-fsanitize=address,undefined)
endif()

if(GASS_FUZZ)
  add_compile_options(-fsanitize=fuzzer-no-link)
endif()

find_program(CCACHE ccache)
if(CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  # The sloppiness is what ccache's manual asks for with precompiled headers.
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=pch_defines,time_macros ${CCACHE})
  add_compile_options($<$<CXX_COMPILER_ID:GNU>:-fpch-preprocess>)
endif()
