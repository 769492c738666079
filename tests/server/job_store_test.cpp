#include "server/job_store.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace gass::server {
namespace {

namespace fs = std::filesystem;

class JobStoreTest : public testing::Test {
  protected:
    JobStoreTest() : folder_(fs::path(testing::TempDir()) / ("jobs-" + new_job_id())) {
        fs::create_directory(folder_);
    }
    ~JobStoreTest() override { fs::remove_all(folder_); }

    static Job job(const std::string& prompt, const std::string& owner = "me") {
        Job job;
        job.id = new_job_id();
        job.owner = owner;
        job.prompt = prompt;
        job.created = now_in_milliseconds();
        job.plan = {{"seeds", {1, 2}}};
        return job;
    }
    fs::path file() const { return folder_ / "jobs.db"; }

    fs::path folder_;
};

TEST_F(JobStoreTest, RemembersWhatItIsTold) {
    Job first = job("a cat");
    {
        JobStore store(file());
        store.add(first);
        first.state = JobState::failed;
        first.finished = 7;
        first.attempts = 2;
        first.error = {{"code", "failure"}};
        store.update(first);
    }
    JobStore store(file());
    const Job again = store.find(first.id).value();
    EXPECT_EQ(again.state, JobState::failed);
    EXPECT_EQ(again.attempts, 2);
    EXPECT_EQ(again.plan, first.plan);
    EXPECT_EQ(again.error, first.error);
    EXPECT_TRUE(again.result.is_null());
    EXPECT_FALSE(store.find("somebody else's"));
    store.remove(first.id);
    EXPECT_FALSE(store.find(first.id));
}

TEST_F(JobStoreTest, ListsWhatIsAskedFor) {
    JobStore store(file());
    std::vector<Job> jobs{job("a 5% cat"), job("a cat"), job("a Dog"), job("a cat", "other")};
    for (Job& one : jobs) store.add(one);
    const auto ids = [&](const JobFilter& filter) {
        std::vector<std::string> found;
        for (const Job& one : store.list("me", filter)) found.push_back(one.id);
        return found;
    };
    using Ids = std::vector<std::string>;
    EXPECT_EQ(ids({}), (Ids{jobs[2].id, jobs[1].id, jobs[0].id}));
    EXPECT_EQ(ids({.limit = 1}), Ids{jobs[2].id});
    EXPECT_EQ(ids({.before = jobs[2].number}), (Ids{jobs[1].id, jobs[0].id}));
    EXPECT_EQ(ids({.query = "5%"}), Ids{jobs[0].id});
    EXPECT_EQ(ids({.query = "a_cat"}), Ids{});
    EXPECT_EQ(ids({.query = "dog"}), Ids{jobs[2].id});
    EXPECT_EQ(ids({.state = JobState::running}), Ids{});
    EXPECT_EQ(store.all_of(JobState::queued).size(), 4);
}

TEST_F(JobStoreTest, RefusesOtherFiles) {
    std::ofstream(file()) << std::string(10'000, 'x');
    EXPECT_THROW(JobStore{file()}, DamagedDatabase);
    fs::remove(file());
    Database(file(), 0).execute("CREATE TABLE other (a)");
    EXPECT_THROW(JobStore{file()}, DamagedDatabase);
}

TEST(JobId, IsNeverTheSame) {
    EXPECT_EQ(new_job_id().size(), 26);
    EXPECT_NE(new_job_id(), new_job_id());
}

TEST(Moment, IsWrittenAsItIsEverywhere) {
    EXPECT_EQ(moment_json(0), nullptr);
    EXPECT_EQ(moment_json(1'795'123'456'789), "2026-11-19T21:24:16.789Z");
}

}  // namespace
}  // namespace gass::server
