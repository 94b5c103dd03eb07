// What is read of a trace: counts by edge, traces that are passed on, addresses in answers.
#include "record/check/trace_check.h"

#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace heddle {
namespace {

constexpr std::size_t kOuter = 0;
constexpr std::size_t kInner = 1;

SystemSettings two_services() {
  SystemSettings system;
  system.services.push_back({.name = {"shop", {}}, .address = {{"127.0.0.1:8080", {}}}});
  system.services.push_back({.name = {"stock", {}}, .address = {{"stock.local:80", {}}}});
  return system;
}

std::vector<TraceEdge> edges() {
  return {{.caller = "client", .callee = "shop", .is_outer = true},
          {.caller = "shop", .callee = "stock"}};
}

TraceRequest request_at(std::size_t edge, FlowEvidence evidence, TraceTime from, TraceTime to) {
  return {.edge = edge,
          .flow = {.number = 1, .evidence = evidence},
          .arrived = from,
          .answered = to,
          .method = "GET",
          .target = "/orders/12?all=1"};
}

RecordCheck checked(const Trace& trace) {
  const SystemSettings system = two_services();
  TraceCheck check(system, edges());
  check.add(trace);
  RecordCheck result;
  check.finish(result);
  return result;
}

// What is found in an answer with this header or body.
std::string found_in(const TraceHeaders& headers, const std::string& body) {
  TraceRequest request = request_at(kOuter, FlowEvidence::traceparent, 1, 2);
  request.response_headers = headers;
  request.response_body.bytes = body;
  std::string text;
  for (const AddressCheck& each : checked({.head = {}, .requests = {request}}).addresses) {
    text += fmt::format("{} {} {} of {} in {}\n", each.endpoint, each.edge, each.address,
                        each.owner, each.where);
  }
  return text;
}

TEST(TraceCheck, TracesThatArePassedOn) {
  TraceRequest idle = request_at(kInner, FlowEvidence::only, 1, 2);
  idle.flow = {.number = 0, .evidence = FlowEvidence::unsure};  // nobody had asked
  const RecordCheck check =
      checked({.head = {},
               .requests = {request_at(kOuter, FlowEvidence::traceparent, 1, 9),
                            request_at(kInner, FlowEvidence::traceparent, 2, 3),
                            request_at(kInner, FlowEvidence::only, 4, 5),
                            request_at(kInner, FlowEvidence::background, 6, 7), idle}});
  EXPECT_EQ(check.edges[kOuter].units, 1U);
  EXPECT_EQ(check.edges[kInner].units, 4U);
  EXPECT_EQ(check.edges[kInner].caused, 2U);
  EXPECT_EQ(check.edges[kInner].passed_on, 1U);
  EXPECT_EQ(check.edges[kInner].background, 1U);
  EXPECT_EQ(check.edges[kInner].unsure, 1U);
}

TEST(TraceCheck, RequestsThatAreOpenAtOnce) {
  const auto most = [](TraceTime second_from) {
    return checked({.head = {},
                    .requests = {request_at(kOuter, FlowEvidence::traceparent, 1, 5),
                                 request_at(kOuter, FlowEvidence::traceparent, second_from, 9)}})
        .edges[kInner]
        .most_requests;
  };
  EXPECT_EQ(most(4), 2U);
  EXPECT_EQ(most(5), 1U);
  EXPECT_EQ(most(6), 1U);
}

TEST(TraceCheck, AddressesInAnswers) {
  EXPECT_EQ(found_in({{"location", "http://localhost:8080/orders/13"}}, ""),
            "GET /orders/* client>shop localhost:8080 of shop in location\n");
  EXPECT_EQ(found_in({}, R"({"next": "http:\/\/stock.local:80\/items"})"),
            "GET /orders/* client>shop stock.local:80 of stock in its body\n");
  EXPECT_EQ(found_in({{"Link", "<http://127.0.0.1:8080/a>, <http://127.0.0.1:8080/b>"}}, ""),
            "GET /orders/* client>shop 127.0.0.1:8080 of shop in Link\n");
}

TEST(TraceCheck, WhatIsNoAddressOfTheSystem) {
  EXPECT_EQ(found_in({{"Location", "/orders/13"}}, ""), "");
  EXPECT_EQ(found_in({{"X-Upstream", "http://127.0.0.1:8080/"}}, ""), "");
  EXPECT_EQ(found_in({}, "http://127.0.0.1:80801/ and 127.0.0.1:8080"), "");
  EXPECT_EQ(found_in({}, "http://my-stock.local:80/"), "");
}

TEST(TraceCheck, Endpoints) {
  EXPECT_EQ(endpoint_of("GET", "/"), "GET /");
  EXPECT_EQ(endpoint_of("PUT", "/users/7/cart?x=/8"), "PUT /users/*/cart");
  EXPECT_EQ(endpoint_of("GET", "/by-name/a-name-that-is-a-long-one"), "GET /by-name/*");
}

}  // namespace
}  // namespace heddle
