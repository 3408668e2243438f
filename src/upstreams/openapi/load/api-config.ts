import { z } from 'zod'
import { SpecError } from '../spec/spec-error.ts'
import { toolRules } from '../tools/tool-rules.ts'

const secret = z.string().min(1, 'is empty: is the environment variable set?')

/** Secrets come from `${VARIABLES}` or the key store, resolved before they get here. */
const apiAuth = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('bearer'), token: secret }),
  z.strictObject({ type: z.literal('basic'), username: secret, password: z.string() }),
  z.strictObject({
    type: z.literal('apiKey'),
    value: secret,
    in: z.enum(['header', 'query', 'cookie']).optional().describe('As the description says'),
    name: z.string().optional().describe('As the description says'),
  }),
  z.strictObject({
    type: z.literal('oauth2'),
    clientId: secret,
    clientSecret: secret,
    tokenUrl: z.url().optional().describe('As the description says'),
    scope: z.string().optional(),
  }),
])

/** One API as configured in `.mcp.json`, or in the `pack.yaml` of an API pack. */
export const apiConfig = z.strictObject({
  openapi: z.string().describe('File or URL of an OpenAPI 3 or Swagger 2 description, or a pack'),
  name: z.string().optional(),
  title: z.string().optional(),
  instructions: z.string().optional(),
  baseUrl: z.url().optional().describe('Where to call; by default what the description says'),
  headers: z.record(z.string(), z.string()).optional().describe('Sent with every call'),
  auth: apiAuth.optional(),
  include: z.array(z.string()).optional().describe('Operation ids, paths or tag:names; * matches'),
  exclude: z.array(z.string()).optional(),
  rename: z.record(z.string(), z.string()).optional().describe('Operation id → tool name'),
  readOnly: z.boolean().optional().describe('Import only what changes nothing'),
  tools: z.record(z.string(), toolRules).optional().describe('Rules per operation id'),
  budget: z.int().positive().optional().describe('Tokens one result may take'),
  cacheSeconds: z
    .int()
    .nonnegative()
    .optional()
    .describe('For read-only tools, whatever the answers say; by default as they say'),
  timeoutMs: z.int().positive().default(30_000),
  retries: z.int().min(0).max(10).default(2),
  backoffMs: z.int().positive().default(500).describe('Doubled on every attempt'),
  maxResponseBytes: z.int().positive().default(20_000_000),
  allowPrivate: z.boolean().default(false).describe('May call private and loopback addresses'),
  allowHosts: z.array(z.string()).default([]).describe('Further origins the API may use'),
  uploadFrom: z
    .array(z.string())
    .default([])
    .describe('Folders whose files local clients may upload by path, beside their roots'),
  externalRefs: z.boolean().default(false).describe('Follow references to neighbouring files'),
  extension: z.string().optional().describe('Code of a pack: composites and reshaping'),
})

export type ApiConfig = z.output<typeof apiConfig>
export type ApiConfigInput = z.input<typeof apiConfig>
export type ApiAuth = z.output<typeof apiAuth>

/** Parses the configuration; an error names every mistake at once, with its path. */
export function parseApiConfig(input: ApiConfigInput): ApiConfig {
  const parsed = apiConfig.safeParse(input)
  if (parsed.success) return parsed.data
  const problems = parsed.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`)
  throw new SpecError(
    `The configuration of the API is wrong: ${problems.join('; ')}.`,
    'See docs/guides/api-entries.md for what it may say.',
  )
}
