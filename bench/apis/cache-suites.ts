import { z } from 'zod'

const header = z.tuple([z.string(), z.union([z.string(), z.number()])]).rest(z.unknown())
const expected = z.union([z.string(), z.array(z.unknown())])

/** One request of a case, with what its origin answers and what has to be seen. */
const step = z.looseObject({
  request_method: z.string().default('GET'),
  request_headers: z.array(header).default([]),
  query_arg: z.string().default(''),
  response_status: z.tuple([z.number(), z.string()]).default([200, 'OK']),
  response_headers: z.array(header).default([]),
  response_body: z.string().nullish(),
  disconnect: z.boolean().default(false),
  pause_after: z.boolean().default(false),
  setup: z.boolean().default(false),
  setup_tests: z.array(z.string()).default([]),
  /** How a browser is told to use its cache. */
  cache: z.string().optional(),
  expected_type: z.enum(['cached', 'not_cached', 'etag_validated', 'lm_validated']).optional(),
  expected_request_headers: z.array(expected).default([]),
  expected_response_headers: z.array(expected).default([]),
})
const testCase = z.looseObject({
  id: z.string(),
  kind: z.string().default('required'),
  browser_skip: z.boolean().default(false),
  cdn_only: z.boolean().default(false),
  depends_on: z.array(z.string()).default([]),
  requests: z.array(step),
})
export const caseSuites = z.looseObject({
  default: z.array(z.looseObject({ tests: z.array(testCase) })),
})

export type Step = z.output<typeof step>
export type Description = z.output<typeof testCase>
