# find_package(gass) gives the targets gass::gass, without LibTorch, and gass::engine, with everything. Their libraries are their own
# affair: nothing else needs to be found.
include(${CMAKE_CURRENT_LIST_DIR}/gassTargets.cmake)
