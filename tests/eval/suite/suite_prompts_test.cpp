#include "eval/suite/suite_sample.h"
#include "support/expect_error.h"

#include <rapidcheck/gtest.h>

#include <map>
#include <string>
#include <vector>

namespace gass::eval {
namespace {

using test::expect_error;

class SuitePrompts : public testing::Test {
  protected:
    /// "index:text=name|…"
    static std::string shown(const Suite& suite) {
        std::string text;
        for (const SuitePrompt& prompt : suite.prompts)
            text += (text.empty() ? "" : "|") + std::to_string(prompt.index) + ":" + prompt.text +
                    (prompt.name == prompt.text ? "" : "=" + prompt.name);
        return text;
    }
    /// What a suite reads from a file beside it.
    std::string of_file(const std::string& name, const std::string& content,
                        const std::string& more = "") const {
        sample_.folder.write(name, content);
        return shown(sample_.read(R"({"prompts": {"list": null, "file": ")" + name + "\"" + more + "}}"));
    }
    void refuses_file(const std::string& name, const std::string& content, const std::string& part) const {
        SCOPED_TRACE(content);
        expect_error(ErrorCode::model_invalid, part, [&] { of_file(name, content); });
    }

    SuiteSample sample_;
};

TEST_F(SuitePrompts, AListMayStandInTheSuite) {
    EXPECT_EQ(shown(sample_.read()), "0:a dog|1:a photo of a cat=cat");
    const Suite first = sample_.read(R"({"prompts": {"limit": 1}})");
    EXPECT_EQ(shown(first), "0:a dog");
    ASSERT_EQ(first.further_prompts.size(), 1U);
    EXPECT_EQ(first.further_prompts[0].text, "a photo of a cat");
    EXPECT_EQ(first.further_prompts[0].index, 1U);
    EXPECT_EQ(shown(sample_.read(R"({"prompts": {"limit": 1}})", {.limit = 2})),
              "0:a dog|1:a photo of a cat=cat");
    EXPECT_EQ(shown(sample_.read(R"({"prompts": {"template": "A {label}, {label}.", "list":
                 ["sea_lion", {"prompt": "as it is"}, {"label": "a_b", "class": "n1", "prompt": "x"}]}})")),
              "0:A sea lion, sea lion.|1:as it is|2:A a b, a b.=n1");
}

TEST_F(SuitePrompts, TextFilesHaveOneALine) {
    EXPECT_EQ(of_file("p.txt", "\xEF\xBB\xBFthe dog\r\n\n  \t\na cat\tcat\nlast"),
              "0:the dog|1:a cat=cat|2:last");
    EXPECT_EQ(of_file("p.txt", "great_white_shark\tn01\ntench", R"(, "template": "A photo of {label}.")"),
              "0:A photo of great white shark.=n01|1:A photo of tench.");
    EXPECT_EQ(of_file("p.txt", "# animals\na dog\n\\#cat\tcat"), "0:a dog|1:#cat=cat");
    refuses_file("p.txt", "a\tb\tc", "p.txt, line 1] expected a prompt, or \"prompt<TAB>class\"");
    refuses_file("p.txt", "ok\n\tclass", "p.txt, line 2] the prompt is missing");
    refuses_file("p.txt", "a\nb\na", "p.txt, line 3] \"a\" is given twice");
    refuses_file("p.txt", "ok\n\xFF", "p.txt, line 2] the text is not UTF-8");
    refuses_file("p.txt", "ok\n" + std::string(70'000, 'x'), "p.txt, line 2] the text has 70000 bytes");
    refuses_file("p.txt", "\n\n", "there is no prompt");
    EXPECT_EQ(of_file("p.txt", "a\tone\na\ttwo"), "0:a=one|1:a=two");
}

TEST_F(SuitePrompts, JsonFilesHaveAListOrClasses) {
    EXPECT_EQ(of_file("p.json", R"(["a dog", {"prompt": "a cat", "class": "cat", "id": 3}])"),
              "0:a dog|1:a cat=cat");
    const std::string classes = R"({"0": {"class": "n01", "label": "great_white_shark",
        "prompt": "A picture of one."}, "1": {"class": "n02", "prompt": "A tench."}})";
    EXPECT_EQ(of_file("p.json", classes), "0:A picture of one.=n01|1:A tench.=n02");
    EXPECT_EQ(of_file("p.json", classes, R"(, "template": "A photo of {label}.")"),
              "0:A photo of great white shark.=n01|1:A tench.=n02");
    refuses_file("p.json", R"([{"label": "tench"}])", "p.json, prompt 1] a label and no prompt");
    refuses_file("p.json", R"(["a", {"class": "tench"}])", "p.json, prompt 2] the prompt is missing");
    refuses_file("p.json", R"([3])", "prompt 1] expected a JSON object");
    refuses_file("p.json", R"("a")", "expected a list or an object of prompts, got string");
    refuses_file("p.json", R"([{"prompt": 3}])", "\"prompt\" must be text");
    refuses_file("p.json", R"(["a\u0000"])", "zero byte");
    refuses_file("p.json", "[", "not valid JSON");
    refuses_file("p.json", "{}", "there is no prompt");
}

TEST_F(SuitePrompts, TablesHaveColumns) {
    EXPECT_EQ(of_file("p.csv", "id,Category,caption\n1,,\"a dog, \"\"big\"\"\"\n2,x,a cat\n"),
              "0:a dog, \"big\"|1:a cat");
    EXPECT_EQ(of_file("p.tsv", "text\tname\r\na dog\tdog\r\na cat\t\r\n"), "0:a dog=dog|1:a cat");
    refuses_file("p.csv", "a,b\n1,2\n", "the first line must name a column prompt, prompts, text, caption");
    refuses_file("p.csv", "", "the first line must name a column");
    refuses_file("p.csv", "prompt,class\na\n", "p.csv, line 2] 1 column; the first line has 2");
    refuses_file("p.csv", "prompt\n\"a\n", "a quote is never closed");
    refuses_file("p.csv", "prompt,class\n,x\n", "p.csv, line 2] the prompt is missing");
    refuses_file("p.csv", "prompt\n", "there is no prompt");
}

TEST_F(SuitePrompts, AFileOfTheUsersStandsInTheirPlace) {
    sample_.folder.write("mine.txt", "sea_lion\na cat\nthree");
    const std::string mine = (sample_.folder / "mine.txt").string();
    EXPECT_EQ(shown(sample_.read("{}", {.prompt_file = mine})), "0:sea_lion|1:a cat|2:three");
    const std::string needed = R"({"prompts": {"list": null, "needed": "some prompts", "limit": 2,
                                               "template": "<{label}>"}})";
    EXPECT_EQ(shown(sample_.read(needed, {.prompt_file = mine})), "0:<sea lion>|1:<a cat>");
    expect_error(ErrorCode::usage, "[`prompt_file`] this suite needs some prompts; name the file",
                 [&] { sample_.read(needed); });
    expect_error(ErrorCode::model_not_found, "nowhere.txt",
                 [&] { sample_.read("{}", {.prompt_file = "nowhere.txt"}); });
    expect_error(ErrorCode::model_invalid, "called .txt, .json, .csv or .tsv",
                 [&] { sample_.read("{}", {.prompt_file = "prompts.doc"}); });
}

TEST_F(SuitePrompts, RefusesWhatIsNoList) {
    sample_.refuses(R"({"prompts": null})", "\"prompts\" is missing");
    sample_.refuses(R"({"prompts": {"list": null}})", "expected one of \"file\", \"list\" and \"needed\"");
    sample_.refuses(R"({"prompts": {"file": "p.txt"}})", "expected one of \"file\", \"list\" and \"needed\"");
    sample_.refuses(R"({"prompts": {"list": []}})", "prompts] there is no prompt");
    sample_.refuses(R"({"prompts": {"list": 3}})", "prompts.list] expected a list of prompts");
    sample_.refuses(R"({"prompts": {"list": [""]}})", "prompts.list[0]] the prompt is missing");
    sample_.refuses(R"({"prompts": {"list": ["a", {"prompt": "b", "klass": "c"}]}})",
                    "prompts.list[1]] unknown key \"klass\"");
    sample_.refuses(R"({"prompts": {"list": ["a", "a"]}})", "\"a\" is given twice");
    sample_.refuses(R"({"prompts": {"template": "A photo."}})", "\"A photo.\" has no {label}");
    sample_.refuses(R"({"prompts": {"limit": 0}})", "\"limit\" must be 1 to 200000");
    sample_.refuses(R"({"prompts": {"first": 3}})", "prompts] unknown key \"first\"");
}

TEST_F(SuitePrompts, ThereIsAnEnd) {
    std::string lines;
    for (int i = 0; i <= 200'000; ++i) lines += std::to_string(i) + "\n";
    refuses_file("p.txt", lines, "line 200001] more than 200000 prompts");
}

// What was written as a list, as lines and as a table is the same when it is read.
RC_GTEST_FIXTURE_PROP(SuitePrompts, EveryFormatReadsTheSame, ()) {
    const auto word = rc::gen::nonEmpty(rc::gen::string<std::string>());
    const auto plain = rc::gen::map(word, [](std::string text) {
        for (char& c : text) c = static_cast<char>('a' + static_cast<unsigned char>(c) % 26);
        return text;
    });
    const auto classes = *rc::gen::container<std::map<std::string, std::string>>(plain, plain);
    RC_PRE(!classes.empty());
    Json list = Json::array();
    std::string lines;
    std::string table = "prompt,class\n";
    for (const auto& [prompt, name] : classes) {
        list.push_back({{"prompt", prompt}, {"class", name}});
        lines += prompt + "\t" + name + "\n";
        table += "\"" + prompt + "\"," + name + "\n";
    }
    const std::string of_list = shown(sample_.read(Json{{"prompts", {{"list", list}}}}.dump()));
    RC_ASSERT(of_file("p.json", list.dump()) == of_list);
    RC_ASSERT(of_file("p.txt", lines) == of_list);
    RC_ASSERT(of_file("p.csv", table) == of_list);
}

}  // namespace
}  // namespace gass::eval
