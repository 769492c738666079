#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace gass::eval {

struct Message {
    int from = 0;
    std::vector<std::uint8_t> bytes;
};

/// The processes of one job, by their ranks. Used by one thread of each process alone.
///
/// Implemented over MPI in a library of its own (mpi_communicator.cpp), which is loaded under mpirun and srun
/// only: nobody else pays for MPI. Nothing is thrown across that border; what goes wrong within MPI ends the
/// job, as MPI does by itself.
class Communicator {
  public:
    Communicator() = default;
    /// Waits for all ranks.
    virtual ~Communicator() = default;
    Communicator(const Communicator&) = delete;
    Communicator& operator=(const Communicator&) = delete;

    virtual int rank() const = 0;
    virtual int size() const = 0;
    /// Among the processes of the same machine.
    virtual int local_rank() const = 0;
    virtual int local_size() const = 0;

    virtual void send(int to, const std::vector<std::uint8_t>& bytes) = 0;
    /// A message that has come, if there is one; does not wait.
    virtual std::optional<Message> receive() = 0;
    /// Ends the whole job, with this exit status, when one process cannot go on and others would wait for it.
    virtual void abort(int status) = 0;
};

/// The symbol of the library.
inline constexpr const char* kOpenCommunicator = "gass_open_communicator";
using OpenCommunicator = Communicator* (*)();

}  // namespace gass::eval
