import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import type { JsonObject } from '../../base/json/json.ts'
import { countTokens } from '../../shaping/tokens.ts'
import { VERSION } from '../../base/version.ts'
import { definitionTokens } from '../../app/health/probe.ts'
import { askGateway } from '../stats/running-gateway.ts'
import type { Demo } from './open-demo.ts'

/** One step of the tour: what an agent asked, and the answer. */
export interface Step {
  readonly title: string
  readonly agent: string
  readonly asked: string
  readonly answer: string
  readonly tokens: number
  readonly ms: number
  /** What the step demonstrates. */
  readonly remark: string
}

/** A call of the tour, and what must be in its answer. */
interface Plan extends Pick<Step, 'title' | 'remark'> {
  readonly agent?: 'intern'
  /** A tool of the gateway, or `server.tool`. */
  readonly tool: string
  readonly args?: JsonObject
  readonly expect: RegExp
  readonly fails?: true
  /** Whether it only prepares the next step. */
  readonly isHidden?: true
}

const HANDLE = /r_[0-9a-f]{10}/

const planned = ({ project }: Demo): Plan[] => [
  {
    title: 'Servers',
    tool: 'list_servers',
    expect: /tickets[\s\S]*calendar[\s\S]*shop[\s\S]*code/,
    remark: 'Two MCP servers, a REST API and the code search, behind one address.',
  },
  {
    title: 'Finding a tool',
    tool: 'find_tools',
    args: { query: 'mark a bug report as solved' },
    expect: /close_ticket/,
    remark: 'One search over the tools of all servers; no definition was in the context before.',
  },
  {
    title: 'Calling it',
    tool: 'tickets.close_ticket',
    args: { id: 2, comment: 'VAT is shown now' },
    expect: /"closed"/,
    remark: 'What the server answered, byte for byte.',
  },
  {
    title: 'What an agent may not do',
    agent: 'intern',
    tool: 'tickets.delete_ticket',
    args: { id: 1 },
    expect: /deny\.tools\.tickets/,
    fails: true,
    remark: 'Another agent, other rules: the refusal names the rule that decides.',
  },
  {
    title: 'A long result',
    tool: 'shop.list_orders',
    expect: HANDLE,
    remark:
      'An API becomes tools by its description. Its long list was fitted to 2,000 tokens; the whole stays behind a handle.',
  },
  {
    title: 'Reading on',
    tool: 'read_result',
    args: { select: "orders[?status=='returned'] | [0:4].{id: id, city: city, total: total}" },
    expect: /1001/,
    remark: 'Only what is wanted of the kept result: the API was not called again.',
  },
  {
    title: 'Indexing',
    tool: 'code.index_codebase',
    args: { path: project },
    expect: /"success"\s*:\s*true|indexed/i,
    isHidden: true,
    remark: '',
  },
  {
    title: 'Searching code',
    tool: 'code.search_code',
    args: { query: 'where is the discount applied', limit: 2 },
    expect: /discount\.ts/,
    remark: 'The sample project, indexed a moment ago without any model or service.',
  },
]

/** Yields the steps. Each is a real call; an unexpected answer throws. */
export async function* tour(demo: Demo): AsyncGenerator<Step> {
  const { endpoint } = demo
  const direct = await openAgent('ada', `${endpoint}&surface=direct`)
  const ada = await openAgent('ada', endpoint)
  const intern = await openAgent('intern', endpoint)
  try {
    // Listings do not wait long for starting servers, but the first figures must include all.
    await Promise.all(
      ['tickets', 'calendar'].map(async (server) => ada.call('get_server_tools', { server })),
    )
    yield await compare(ada, direct)
    let handle: string | undefined
    for (const plan of planned(demo)) {
      const step = await take(plan, plan.agent ? intern : ada, handle)
      handle = HANDLE.exec(step.answer)?.[0]
      if (!plan.isHidden) yield step
    }
    yield await summary(endpoint)
  } finally {
    await Promise.all([direct, ada, intern].map(async (agent) => agent.close()))
  }
}

/** Makes the call; a tool of a server is called through `execute_tool`. */
async function take(plan: Plan, agent: DemoAgent, handle: string | undefined): Promise<Step> {
  const { title, tool: name, args = {}, expect, fails = false, remark } = plan
  const [server, inner] = name.split('.')
  const [tool, given]: [string, JsonObject] =
    inner === undefined
      ? [name, { ...(handle !== undefined && { handle }), ...args }]
      : ['execute_tool', { server, tool: inner, args }]
  const startedAt = performance.now()
  const { text, isError } = await agent.call(tool, given)
  const ms = Math.round(performance.now() - startedAt)
  if (isError !== fails || !expect.test(text))
    throw new Error(`The tour met something unexpected at "${title}": ${text.slice(0, 500)}`)
  const asked = `${tool}(${JSON.stringify(given)})`
  return { title, agent: agent.name, asked, answer: text, tokens: countTokens(text), ms, remark }
}

async function compare(ada: DemoAgent, direct: DemoAgent): Promise<Step> {
  const startedAt = performance.now()
  const all = await direct.listTokens()
  const few = await ada.listTokens()
  if (few.tokens >= all.tokens)
    throw new Error(`The tour met something unexpected: ${JSON.stringify({ few, all })}`)
  return {
    title: 'What an agent sees',
    agent: 'ada',
    asked: 'tools/list',
    answer: `${few.tools} tools, ${few.tokens} tokens; every tool of every server would be ${all.tools} tools, ${all.tokens} tokens`,
    tokens: few.tokens,
    ms: Math.round(performance.now() - startedAt),
    remark: 'However many servers there are, the discovery tools stay as small.',
  }
}

/** Reads the gateway's counts over HTTP, as a monitor would. */
async function summary(endpoint: string): Promise<Step> {
  const startedAt = performance.now()
  const { calls } = await askGateway(endpoint, undefined)
  const { ALLOW = 0, DENY = 0 } = calls.decisions
  return {
    title: 'The record',
    agent: 'you',
    asked: 'GET /metrics',
    answer: `${ALLOW} allowed, ${DENY} denied, ${calls.tokens_saved.toLocaleString('en')} tokens kept out of the context by budgets`,
    tokens: 0,
    ms: Math.round(performance.now() - startedAt),
    remark: 'Every call also left a line in the audit file, which `portolan stats` reads.',
  }
}

/** An agent of the tour: the official client, over HTTP, with an agent name. */
interface DemoAgent {
  readonly name: string
  /** Counts the tools it sees, and the tokens of their definitions. */
  listTokens(): Promise<{ tools: number; tokens: number }>
  call(tool: string, args: JsonObject): Promise<{ text: string; isError: boolean }>
  close(): Promise<void>
}

async function openAgent(name: string, endpoint: string): Promise<DemoAgent> {
  const client = new Client({ name: `portolan-demo-${name}`, version: VERSION })
  await client.connect(
    new StreamableHTTPClientTransport(new URL(endpoint), {
      requestInit: { headers: { 'x-agent-id': name } },
    }),
  )
  return {
    name,
    async listTokens() {
      const { tools } = await client.listTools()
      return { tools: tools.length, tokens: definitionTokens(tools) }
    },
    async call(tool, args) {
      const result = await client.callTool({ name: tool, arguments: args })
      const texts = result.content.map((block) => (block.type === 'text' ? block.text : ''))
      const isError = result.isError === true
      // The rule behind a refusal is in the structured content.
      if (isError) texts.push(JSON.stringify(result.structuredContent))
      return { text: texts.join('\n'), isError }
    },
    close: async () => client.close(),
  }
}
