// The graph of a cut as a drawing: tables in the colours of their services, lines between those on
// which causes meet.
#pragma once

#include <string>

#include "report/diagram/schedule_drawing.h"
#include "report/split/service_graph.h"

namespace heddle {

Drawing draw_graph(const ServiceGraph& graph);
// Each service with its colour and tables, and what lines and numbers mean.
Drawing draw_graph_legend(const ServiceGraph& graph, int width);
// The same for those who do not see it.
std::string graph_description(const ServiceGraph& graph);

// The rules for the classes that only these drawings have.
std::string graph_style();
std::string graph_dark_style();

}  // namespace heddle
