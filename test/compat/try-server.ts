import { type JsonObject, isObject } from '../../src/base/json/json.ts'
import { effectOf } from '../../src/gateway/tools/effect.ts'
import type { RawClient } from '../support/clients/raw-client.ts'
import { call, execute, structured, textOf, valueOf } from '../support/clients/talk.ts'
import type { Opened } from '../support/open-gateway.ts'
import type { Step } from './servers.ts'

/** What became of a call: answered, answered with an error by the server, or never sent by the gateway. */
export type Outcome = 'answered' | 'error' | 'refused'

export interface Trial {
  readonly tools: number
  readonly tokens: number
  /** Why it listed nothing. */
  readonly failure: string | undefined
  /** Its first tool that only reads and needs no arguments. */
  readonly safe: { readonly tool: string; readonly outcome: Outcome } | undefined
  /** Tools whose required arguments all have defaults, called with none at all. */
  readonly empty: readonly { readonly tool: string; readonly outcome: Outcome }[]
  readonly story: 'passed' | 'failed' | undefined
  /** Two clients at once got the same. */
  readonly together: boolean | undefined
}

interface Tool {
  readonly name: string
  readonly definition: JsonObject
}

const CALL_MS = 20_000
/** Names of gateway failures that say that a call never reached its server. */
const REFUSALS = new Set([
  'INVALID_PARAMS',
  'TOOL_NOT_FOUND',
  'SERVER_NOT_FOUND',
  'DENIED_BY_POLICY',
])

/** A server that is slow to start goes on starting after the first answer. */
async function listTools(client: RawClient, server: string): Promise<JsonObject> {
  const wanted = { server, max_schema_tokens: 1_000_000 }
  let listed: JsonObject = {}
  for (let tries = 0; tries < 7 && listed['error'] !== null; tries++)
    listed = valueOf(await call(client, 'get_server_tools', wanted))
  return listed
}

/** Does with a server what an agent does in its first minutes, through a running gateway. */
export async function tryServer(
  gateway: Opened,
  server: string,
  story: readonly Step[] | undefined,
): Promise<Trial> {
  const one = await gateway.connect({ query: '' })
  const listed = await listTools(one, server)
  const tools = (Array.isArray(listed['tools']) ? listed['tools'] : [])
    .filter(isObject)
    .map((definition) => ({ name: String(definition['name']), definition }))
  const nothing = { safe: undefined, empty: [], story: undefined, together: undefined }
  const counts = { tools: tools.length, tokens: Number(listed['tokens_used'] ?? 0) }
  if (tools.length === 0) return { ...counts, ...nothing, failure: reasonOf(listed) }
  const reading = tools.filter((tool) => effectOf(tool) === 'read' && needsNothing(tool))
  const [first] = reading
  const safe = first && { tool: first.name, outcome: await outcomeOf(one, server, first.name) }
  const empty: { tool: string; outcome: Outcome }[] = []
  for (const { name } of reading.filter(hasRequired).slice(0, 5))
    empty.push({ tool: name, outcome: await outcomeOf(one, server, name) })
  const told = story && (await tell(one, server, story))
  const last = story?.at(-1) ?? (first && { tool: first.name, args: {} })
  const two = await gateway.connect({ query: '' })
  return {
    ...counts,
    failure: undefined,
    safe,
    empty,
    story: told,
    together: last && (await agree([one, two], server, last)),
  }
}

/** What the server wrote last, where it wrote anything. */
function reasonOf({ error, error_detail: detail }: JsonObject): string {
  const lines = isObject(detail) && Array.isArray(detail['output']) ? detail['output'] : []
  return String(
    lines.findLast((line) => /error|required|missing|fail/i.test(String(line))) ??
      lines.at(-1) ??
      error,
  )
}

async function outcomeOf(
  client: RawClient,
  server: string,
  tool: string,
  args: JsonObject = {},
): Promise<Outcome> {
  const result = await call(client, 'execute_tool', { server, tool, args, timeout_ms: CALL_MS })
  if (result['isError'] !== true) return 'answered'
  const { error } = structured(result)
  return isObject(error) && REFUSALS.has(String(error['code'])) ? 'refused' : 'error'
}

async function tell(client: RawClient, server: string, story: readonly Step[]) {
  for (const { tool, args, says = /^/ } of story) {
    const result = await execute(client, server, tool, args)
    if (result['isError'] === true || !says.test(JSON.stringify(result))) {
      process.stderr.write(`${server}.${tool}: ${textOf(result).slice(0, 400)}\n`)
      return 'failed'
    }
  }
  return 'passed'
}

/** Both at the same time: the last of its calls in a row where it has some, a safe call otherwise. */
async function agree(
  clients: readonly RawClient[],
  server: string,
  { tool, args }: Pick<Step, 'tool' | 'args'>,
): Promise<boolean> {
  const outcomes = await Promise.all(
    clients.map(async (client) => outcomeOf(client, server, tool, args)),
  )
  return new Set(outcomes).size === 1
}

function needsNothing(tool: Tool): boolean {
  const { properties, required } = schemaOf(tool)
  return required.every((name) => {
    const property = properties[name]
    return isObject(property) && 'default' in property
  })
}

function hasRequired(tool: Tool): boolean {
  return schemaOf(tool).required.length > 0
}

function schemaOf({ definition }: Tool) {
  const { inputSchema } = definition
  const schema = isObject(inputSchema) ? inputSchema : {}
  return {
    properties: isObject(schema['properties']) ? schema['properties'] : {},
    required: Array.isArray(schema['required']) ? schema['required'].map(String) : [],
  }
}
