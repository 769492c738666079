#include "eval/run/communicator.h"

#include <mpi.h>

namespace gass::eval {
namespace {

class MpiCommunicator final : public Communicator {
  public:
    MpiCommunicator() {
        int provided = 0;
        MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided);
        MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
        MPI_Comm_size(MPI_COMM_WORLD, &size_);
        MPI_Comm machine = MPI_COMM_NULL;
        MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, rank_, MPI_INFO_NULL, &machine);
        MPI_Comm_rank(machine, &local_rank_);
        MPI_Comm_size(machine, &local_size_);
        MPI_Comm_free(&machine);
    }
    ~MpiCommunicator() override { MPI_Finalize(); }

    int rank() const override { return rank_; }
    int size() const override { return size_; }
    int local_rank() const override { return local_rank_; }
    int local_size() const override { return local_size_; }

    void send(int to, const std::vector<std::uint8_t>& bytes) override {
        MPI_Send(bytes.data(), static_cast<int>(bytes.size()), MPI_BYTE, to, 0, MPI_COMM_WORLD);
    }

    std::optional<Message> receive() override {
        int is_there = 0;
        MPI_Status status;
        MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &is_there, &status);
        if (is_there == 0) return std::nullopt;
        int count = 0;
        MPI_Get_count(&status, MPI_BYTE, &count);
        Message message{status.MPI_SOURCE, std::vector<std::uint8_t>(static_cast<std::size_t>(count))};
        MPI_Recv(message.bytes.data(), count, MPI_BYTE, status.MPI_SOURCE, status.MPI_TAG, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
        return message;
    }

    void abort(int status) override { MPI_Abort(MPI_COMM_WORLD, status); }

  private:
    int rank_ = 0, size_ = 1, local_rank_ = 0, local_size_ = 1;
};

}  // namespace
}  // namespace gass::eval

extern "C" __attribute__((visibility("default"))) gass::eval::Communicator* gass_open_communicator() {
    return new gass::eval::MpiCommunicator;
}
