#include "server/event_log.h"

#include <gtest/gtest.h>

namespace gass::server {
namespace {

TEST(EventLog, IsReadFromWhereOneLeft) {
    EventLog log(0);
    log.add("a", 1);
    log.add("b", Json{{"text", "two\nlines"}});
    std::int64_t after = 0;
    EXPECT_EQ(log.read(after),
              "id: 1\nevent: a\ndata: 1\n\nid: 2\nevent: b\ndata: {\"text\":\"two\\nlines\"}\n\n");
    EXPECT_EQ(after, 2);
    EXPECT_EQ(log.read(after), "");
    EXPECT_FALSE(log.ends_at(after));
    log.add("c", 3, true);
    log.add("d", 4);  // nothing comes behind the last
    EXPECT_EQ(log.read(after), "id: 3\nevent: c\ndata: 3\n\n");
    EXPECT_TRUE(log.ends_at(after));
}

TEST(EventLog, OfAnotherAttemptIsReadFromItsBeginning) {
    EventLog log(1'000'000);
    log.add("a", 1);
    for (const std::int64_t heard : {0, 7, 999'999, 1'000'002}) {
        std::int64_t after = heard;
        EXPECT_EQ(log.read(after), "id: 1000001\nevent: a\ndata: 1\n\n") << heard;
    }
}

TEST(EventLog, WakesWhoListens) {
    EventLog log(0);
    int woken = 0;
    const std::uint64_t ticket = log.subscribe([&] { ++woken; });
    log.add("a", 1);
    log.end();
    EXPECT_EQ(woken, 2);
    EXPECT_TRUE(log.ends_at(1));
    log.unsubscribe(ticket);
    log.end();
    EXPECT_EQ(woken, 2);
}

TEST(EventLog, GivesMuchInPieces) {
    EventLog log(0);
    for (int i = 0; i < 100; ++i) log.add("a", std::string(10'000, 'x'));
    std::int64_t after = 0;
    std::size_t pieces = 0;
    while (!log.read(after).empty()) ++pieces;
    EXPECT_GT(pieces, 5);
    EXPECT_EQ(after, 100);
}

}  // namespace
}  // namespace gass::server
