import { z } from 'zod'
import { section } from '../section.ts'

/** Where traces and metrics go. */
export const telemetry = section(
  'OpenTelemetry: spans and metrics of calls, sent to a collector. The variables of OpenTelemetry (OTEL_EXPORTER_OTLP_ENDPOINT, OTEL_SERVICE_NAME, OTEL_TRACES_SAMPLER…) count before these.',
  {
    otlp: z
      .url()
      .optional()
      .describe(
        'The collector, OTLP over HTTP, such as http://127.0.0.1:4318, to see calls beside those of your other services; by default nothing is sent.',
      ),
    headers: z
      .record(z.string(), z.string())
      .default({})
      .describe('Headers of every request to the collector, such as the key of a hosted one.'),
  },
)
