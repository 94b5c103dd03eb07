// The real OpenTelemetry SDK for one purpose: a request's `traceparent` reaches the requests that are
// made on its behalf. No span is exported, so nothing is sent anywhere. This is loaded before the
// service, because instrumentation has to see modules before anybody else does.
'use strict';

const { NodeTracerProvider } = require('@opentelemetry/sdk-trace-node');
const { registerInstrumentations } = require('@opentelemetry/instrumentation');
const { HttpInstrumentation } = require('@opentelemetry/instrumentation-http');
const { ExpressInstrumentation } = require('@opentelemetry/instrumentation-express');

// The payment service was instrumented for its incoming requests only, as it happens to real ones.
const isPassedOn =
  process.env.TICKETS_SERVICE !== 'payments' || process.env.TICKETS_PAYMENTS_TRACE === '1';

new NodeTracerProvider().register();
registerInstrumentations({
  instrumentations: [
    new HttpInstrumentation({ disableOutgoingRequestInstrumentation: !isPassedOn }),
    new ExpressInstrumentation(),
  ],
});
