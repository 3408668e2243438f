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

/** Yields the steps. Each is a real call; an unexpected answer throws. */
export async function* tour({ endpoint, project }: Demo): AsyncGenerator<Step> {
  const direct = await openAgent('ada', `${endpoint}&surface=direct`)
  const ada = await openAgent('ada', endpoint)
  const intern = await openAgent('intern', endpoint)
  try {
    // Listings do not wait long for starting servers, but the first figures must include all.
    await Promise.all(
      ['tickets', 'calendar'].map(async (server) => ada.call('get_server_tools', { server })),
    )
    yield await compare(ada, direct)
    yield await show(
      ada,
      'list_servers',
      {},
      {
        title: 'Servers',
        remark: 'Two MCP servers, a REST API and the code search, behind one address.',
        expect: /tickets[\s\S]*calendar[\s\S]*shop[\s\S]*code/,
      },
    )
    yield await show(
      ada,
      'find_tools',
      { query: 'mark a bug report as solved' },
      {
        title: 'Finding a tool',
        remark:
          'One search over the tools of all servers; no definition was in the context before.',
        expect: /close_ticket/,
      },
    )
    yield await run(
      ada,
      'tickets.close_ticket',
      { id: 2, comment: 'VAT is shown now' },
      {
        title: 'Calling it',
        remark: 'What the server answered, byte for byte.',
        expect: /"closed"/,
      },
    )
    yield await run(
      intern,
      'tickets.delete_ticket',
      { id: 1 },
      {
        title: 'What an agent may not do',
        remark: 'Another agent, other rules: the refusal names the rule that decides.',
        expect: /deny\.tools\.tickets/,
        fails: true,
      },
    )
    const orders = await run(
      ada,
      'shop.list_orders',
      {},
      {
        title: 'A long result',
        remark:
          'An API becomes tools by its description. Its long list was fitted to 2,000 tokens; the whole stays behind a handle.',
        expect: /r_[0-9a-f]{10}/,
      },
    )
    yield orders
    const [handle = ''] = /r_[0-9a-f]{10}/.exec(orders.answer) ?? []
    const select = "orders[?status=='returned'] | [0:4].{id: id, city: city, total: total}"
    yield await show(
      ada,
      'read_result',
      { handle, select },
      {
        title: 'Reading on',
        remark: 'Only what is wanted of the kept result: the API was not called again.',
        expect: /1001/,
      },
    )
    const indexing = { title: 'Indexing', remark: '', expect: /"success"\s*:\s*true|indexed/i }
    await run(ada, 'code.index_codebase', { path: project }, indexing)
    yield await run(
      ada,
      'code.search_code',
      { query: 'where is the discount applied', limit: 2 },
      {
        title: 'Searching code',
        remark: 'The sample project, indexed a moment ago without any model or service.',
        expect: /discount\.ts/,
      },
    )
    yield await summary(endpoint)
  } finally {
    await Promise.all([direct, ada, intern].map(async (agent) => agent.close()))
  }
}

interface Shown {
  readonly title: string
  readonly remark: string
  readonly expect: RegExp
  readonly fails?: boolean
}

async function run(agent: DemoAgent, name: string, args: JsonObject, shown: Shown): Promise<Step> {
  const [server, tool] = name.split('.')
  return show(agent, 'execute_tool', { server, tool, args }, shown)
}

async function show(
  agent: DemoAgent,
  tool: string,
  args: JsonObject,
  { title, remark, expect, fails = false }: Shown,
): Promise<Step> {
  const startedAt = performance.now()
  const { text, isError }: Answer = await agent.call(tool, args)
  const ms = Math.round(performance.now() - startedAt)
  if (isError !== fails || !expect.test(text))
    throw new Error(`The tour met something unexpected at "${title}": ${text.slice(0, 500)}`)
  const asked = `${tool}(${JSON.stringify(args)})`
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

interface Answer {
  readonly text: string
  readonly isError: boolean
}

/** An agent of the tour: the official client, over HTTP, with an agent name. */
interface DemoAgent {
  readonly name: string
  /** Counts the tools it sees, and the tokens of their definitions. */
  listTokens(): Promise<{ tools: number; tokens: number }>
  call(tool: string, args: JsonObject): Promise<Answer>
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
