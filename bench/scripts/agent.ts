import { runInNewContext } from 'node:vm'
import { type JsonObject, isObject } from '../../src/base/json/json.ts'
import { unwrapResult } from '../../src/sandbox/guest/unwrap-result.ts'
import { countTokens } from '../../src/shaping/tokens.ts'
import type { Rig } from '../attack/rig.ts'
import { CALLER, SCRIPTER } from './fixtures.ts'
import { type Shortened, isShortened, rowsIn, selectionOf } from './shortened.ts'
import type { Task } from './task.ts'

export type Route = 'direct' | 'discover' | 'scripts'

/** The tokens that passed through the context of an agent, each counted once. */
export interface Transcript {
  readonly definitions: number
  /** Tokens that the agent wrote: names and arguments of calls, including the source of scripts. */
  written: number
  /** Tokens that it read: results, as text. */
  read: number
  /** Calls of the servers' own tools, without those of a script. */
  calls: number
  /** Concurrent calls count as one. */
  roundTrips: number
  ms: number
}

export const totalOf = ({ definitions, written, read }: Transcript): number =>
  definitions + written + read

/** Counts the tokens of all tools that an agent sees on a surface. */
export async function definitionTokens(rig: Rig, agent: string, surface: Route): Promise<number> {
  const { tools } = resultIn((await rig.request('tools/list', {}, { agent, surface })).text)
  return countTokens(JSON.stringify(tools))
}

/** An agent that knows the solution, and counts the tokens it costs. */
export class Agent {
  readonly transcript: Transcript
  /** The arguments of the first call of each tool, by `server.tool`. */
  readonly firstArguments = new Map<string, JsonObject>()
  readonly #rig: Rig
  readonly #route: Route
  #underWay = 0
  #turnStartedAt = 0

  constructor(rig: Rig, route: Route, definitions: number) {
    this.#rig = rig
    this.#route = route
    this.transcript = { definitions, written: 0, read: 0, calls: 0, roundTrips: 0, ms: 0 }
  }

  /** Calls a tool as the agent's client does. */
  async call(name: string, args: JsonObject): Promise<JsonObject> {
    const { transcript } = this
    transcript.written += countTokens(JSON.stringify({ name, arguments: args }))
    if (this.#underWay++ === 0) {
      transcript.roundTrips++
      this.#turnStartedAt = performance.now()
    }
    const agent = this.#route === 'scripts' ? SCRIPTER : CALLER
    try {
      const result = resultIn(await this.#rig.call(name, args, { agent }))
      const text = textsOf(result).join('\n')
      transcript.read += countTokens(text)
      if (result['isError'] === true) throw new Error(`${name}: ${text}`)
      return result
    } finally {
      if (--this.#underWay === 0) transcript.ms += performance.now() - this.#turnStartedAt
    }
  }

  /** Runs a program in this process; the agent itself makes every tool call. */
  async follow({ code, fields = {} }: Task, input: JsonObject): Promise<unknown> {
    const program: (globals: JsonObject) => Promise<unknown> = runInNewContext(
      `(async ({ tools, parallel, input }) => {\n${code}\n})`,
    )
    return program({
      input,
      tools: named((server) =>
        named((tool) => async (args: JsonObject) => this.#use(server, tool, args, fields)),
      ),
      parallel: async (jobs: readonly (() => Promise<unknown>)[]) =>
        Promise.all(jobs.map(async (job) => job())),
    })
  }

  async #use(
    server: string,
    tool: string,
    args: JsonObject,
    fields: NonNullable<Task['fields']>,
  ): Promise<unknown> {
    const key = `${server}.${tool}`
    if (!this.firstArguments.has(key)) this.firstArguments.set(key, args)
    this.transcript.calls++
    const result =
      this.#route === 'direct'
        ? await this.call(`${server}__${tool}`, args)
        : await this.call('execute_tool', { server, tool, args })
    const value: unknown = JSON.parse(unwrapResult(JSON.stringify(result)))
    if (!isShortened(value)) return value
    const wanted = fields[key] ?? []
    return rowsIn(value, wanted) ?? this.#readMore(value, wanted)
  }

  /** Reads the fields that the agent needs from the whole result behind a handle. */
  async #readMore(shortened: Shortened, fields: readonly string[]): Promise<unknown> {
    const { _handle: handle } = shortened
    const select = selectionOf(shortened, fields)
    const rows: unknown[] = []
    for (;;) {
      const offset = rows.length === 0 ? {} : { offset: rows.length }
      const { structuredContent } = await this.call('read_result', { handle, select, ...offset })
      const { data, total }: JsonObject = isObject(structuredContent) ? structuredContent : {}
      if (!Array.isArray(data)) return data
      rows.push(...data)
      if (rows.length >= Number(total ?? 0)) return rows
    }
  }
}

function named<Value>(make: (name: string) => Value): Record<string, Value> {
  return new Proxy<Record<string, Value>>({}, { get: (_target, key) => make(String(key)) })
}

/** Returns the result of an answer in JSON or in an event stream. */
function resultIn(text: string): JsonObject {
  const message: unknown = JSON.parse(text.slice(text.indexOf('{'), text.lastIndexOf('}') + 1))
  const result = isObject(message) ? message['result'] : undefined
  if (!isObject(result)) throw new Error(text.slice(0, 500))
  return result
}

/** Returns the text that a client shows its model. */
function textsOf({ content }: JsonObject): string[] {
  return (Array.isArray(content) ? content : []).flatMap((block: unknown) =>
    isObject(block) && typeof block['text'] === 'string' ? block['text'] : [],
  )
}
