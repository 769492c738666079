# find_package(gass) gives the target gass::gass. Its libraries are its own affair: nothing else needs to be found.
include(${CMAKE_CURRENT_LIST_DIR}/gassTargets.cmake)
