#pragma once

#include "eval/run/communicator.h"
#include "eval/run/worker.h"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

// Several processes on one plan: rank 0 has the store and hands out groups, the others make them.
namespace gass::eval {

/// The other processes of the job that this one was started in, by mpirun or srun; nullptr if it was not.
/// Throws failure if it was and MPI cannot be used.
std::unique_ptr<Communicator> open_communicator();

/// A worker in another process, as rank 0 sees it.
class RemoteWorker : public Worker {
  public:
    RemoteWorker(Communicator& communicator, int rank) : communicator_(communicator), rank_(rank) {}

    bool is_idle() const override { return is_ready_ && !is_busy_; }
    void begin(std::size_t item) override;
    std::optional<Outcome> finished() override;

    /// What the process of that rank has sent. Throws failure if it works on another plan.
    void take(const Message& message, std::string_view plan);
    /// Tells the process what the run remembers, null if nothing, which it needs for its plan.
    void brief(const Json& remembered);
    /// Tells the process that nothing more comes.
    void dismiss();

  private:
    Communicator& communicator_;
    int rank_;
    bool is_ready_ = false;
    bool is_busy_ = false;
    std::optional<Outcome> outcome_;
};

/// All ranks but 0, as rank 0 sees them.
class RemoteWorkers {
  public:
    explicit RemoteWorkers(Communicator& communicator);
    /// Dismisses them.
    ~RemoteWorkers();
    RemoteWorkers(const RemoteWorkers&) = delete;
    RemoteWorkers& operator=(const RemoteWorkers&) = delete;

    void brief(const Json& remembered);
    /// Takes in what has come. `plan`: what all of them must have (plan_key).
    void listen(std::string_view plan);
    const std::vector<std::unique_ptr<RemoteWorker>>& all() const { return workers_; }

  private:
    Communicator& communicator_;
    std::vector<std::unique_ptr<RemoteWorker>> workers_;
};

/// What every other rank but 0 begins with: waits to be told what the run remembers. Nothing if it is
/// dismissed.
std::optional<Json> wait_for_briefing(Communicator& communicator);

/// What a rank does that cannot take part: tells rank 0 why, and waits to be dismissed.
void refuse(Communicator& communicator, std::string_view reason);

/// What every other rank but 0 does: makes what it is told to until it is dismissed.
void serve(Communicator& communicator, const std::vector<WorkItem>& items, GroupMaker& maker);

}  // namespace gass::eval
