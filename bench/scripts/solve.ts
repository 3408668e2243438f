import { isDeepStrictEqual } from 'node:util'
import { type JsonObject, isObject } from '../../src/base/json/json.ts'
import { Agent, type Route, type Transcript, definitionTokens } from './agent.ts'
import { CALLER, type Effects, type Fixtures, SCRIPTER } from './fixtures.ts'
import type { Task } from './task.ts'

export interface Solved {
  readonly task: Task
  /** The tool calls that the task needs. */
  readonly calls: number
  readonly routes: Readonly<Record<Route, Transcript>>
}

/** How much of a record an agent reads before it writes a script over many. */
const LOOK_CHARS = 600

/** Solves tasks on every route, and checks that each ends with the same, right answer. */
export class Solver {
  readonly #fixtures: Fixtures
  readonly #definitions: Readonly<Record<Route, number>>

  static async open(fixtures: Fixtures): Promise<Solver> {
    const { rig } = fixtures
    return new Solver(fixtures, {
      direct: await definitionTokens(rig, CALLER, 'direct'),
      discover: await definitionTokens(rig, CALLER, 'discover'),
      scripts: await definitionTokens(rig, SCRIPTER, 'scripts'),
    })
  }

  private constructor(fixtures: Fixtures, definitions: Readonly<Record<Route, number>>) {
    this.#fixtures = fixtures
    this.#definitions = definitions
  }

  async solve(task: Task): Promise<Solved> {
    const input = { folder: this.#fixtures.folder }
    const direct = this.#agent('direct')
    const before = await this.#attempt(task, 'direct', async () => direct.follow(task, input))
    const discover = this.#agent('discover')
    const same = await this.#attempt(task, 'discover', async () => {
      await find(discover, task)
      return discover.follow(task, input)
    })
    const scripts = this.#agent('scripts')
    const again = await this.#attempt(task, 'scripts', async () => {
      const unknown = await find(scripts, task)
      await look(scripts, unknown, direct.firstArguments)
      const needsInput = task.code.includes('input.')
      return runScript(scripts, task.code, needsInput ? input : undefined)
    })
    for (const effects of [same, again])
      if (!isDeepStrictEqual(effects, before))
        throw new Error(`${task.name}: the routes wrote different things`)
    const writes = task.writes?.(this.#fixtures)
    const made = Object.keys(before.files).length + before.writes.length
    if (writes !== undefined && made !== writes)
      throw new Error(`${task.name}: ${made} writes instead of ${writes}`)
    const routes = {
      direct: direct.transcript,
      discover: discover.transcript,
      scripts: scripts.transcript,
    }
    return { task, calls: direct.transcript.calls, routes }
  }

  #agent(route: Route): Agent {
    return new Agent(this.#fixtures.rig, route, this.#definitions[route])
  }

  /** Checks the answer and returns what was written. */
  async #attempt(task: Task, route: Route, work: () => Promise<unknown>): Promise<Effects> {
    this.#fixtures.takeEffects()
    // Objects of another realm can only be compared as JSON.
    const answer: unknown = JSON.parse(JSON.stringify(await work()))
    const expected: unknown = JSON.parse(JSON.stringify(task.expected(this.#fixtures)))
    if (!isDeepStrictEqual(answer, expected))
      throw new Error(
        `${task.name} (${route}): ${JSON.stringify(answer)} instead of ${JSON.stringify(expected)}`,
      )
    return this.#fixtures.takeEffects()
  }
}

interface Found {
  readonly server: string
  readonly call: string
  readonly does: string
}

/** Finds the tools of a task; returns those whose result shape `find_tools` does not fully show. */
async function find(agent: Agent, { name, find: query, needs }: Task): Promise<string[]> {
  const found = foundIn(await agent.call('find_tools', { query }))
  const unseen: string[] = []
  for (const need of needs) {
    const [server = '', tool = ''] = need.split('.')
    const isIt = (one: Found) => one.server === server && one.call.startsWith(`${tool}(`)
    // If the first search does not find it, a second one searches that server for more results.
    const again = { query: tool.replaceAll(/[-_]/g, ' '), servers: [server], limit: 10 }
    const shown = found.find(isIt) ?? foundIn(await agent.call('find_tools', again)).find(isIt)
    if (!shown) throw new Error(`${name}: find_tools does not give ${need}`)
    if (shown.does === 'read' && !shown.call.endsWith('→ {content}')) unseen.push(need)
  }
  return unseen
}

function foundIn({ structuredContent }: JsonObject): Found[] {
  const tools = isObject(structuredContent) ? structuredContent['tools'] : []
  return (Array.isArray(tools) ? tools : []).map((tool: JsonObject) => ({
    server: String(tool['server']),
    call: String(tool['call']),
    does: String(tool['does']),
  }))
}

/** Shows the agent the beginning of one result per tool, as a script must know their shape. */
async function look(
  agent: Agent,
  tools: readonly string[],
  known: ReadonlyMap<string, JsonObject>,
): Promise<void> {
  if (tools.length === 0) return
  const calls = tools.map((name) => {
    const [server = '', tool = ''] = name.split('.')
    const member = /^\w+$/.test(tool) ? `.${tool}` : `[${JSON.stringify(tool)}]`
    return `look(tools.${server}${member}(${JSON.stringify(known.get(name) ?? {})}))`
  })
  const code = `const look = async (answer) => JSON.stringify(await answer).slice(0, ${LOOK_CHARS})
return [${calls.map((call) => `await ${call}`).join(', ')}]`
  await runScript(agent, code)
}

async function runScript(agent: Agent, code: string, input?: JsonObject): Promise<unknown> {
  const { structuredContent } = await agent.call('run_script', { code, ...(input && { input }) })
  return isObject(structuredContent) ? structuredContent['result'] : undefined
}
