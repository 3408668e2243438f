import { setImmediate } from 'node:timers/promises'
import { parseExact, stringifyExact } from '../../../base/json/exact-json.ts'
import { isObject, type JsonObject } from '../../../base/json/json.ts'
import { Semaphore } from '../../../base/flow/semaphore.ts'
import type { Signal } from '../../../base/flow/signal.ts'
import { pause } from '../../../base/flow/time.ts'
import { withQuestions } from '../../../gateway/questions/ask-client.ts'
import type { CallResult, Client, Identified, Inbound } from '../../../gateway/call.ts'
import { GatewayError } from '../../../gateway/errors.ts'
import { PLANNED_META, toApprove } from '../../../gateway/layers/plan.ts'
import { ownerOfResults } from '../../../gateway/agents/on-behalf-of.ts'
import { toText } from '../../../protocol/raw-text.ts'
import type { Ask, Operation } from '../../../sandbox/messages.ts'
import type { Host, Reply as HostReply, RunControls } from '../../../sandbox/run.ts'
import { selectInText } from '../../../shaping/handles/select-thread.ts'
import { Arguments } from '../../arguments.ts'
import { findToolsTool } from '../../discover/find-tools.ts'
import { getServerTools } from '../../discover/get-server-tools.ts'
import { readResult } from '../../discover/read-result.ts'
import { type World, readerOf } from '../../world.ts'
import { describeByName } from './describe-tool.ts'
import { type Reply, SCRIPT_CALL, toErrorReply, toFailedReply, toInnerCall } from './inner-call.ts'
import { type OpenCall, OpenCalls } from './open-calls.ts'
import { Trail, type TrailEntry, type TrailRecord } from './trail.ts'

export interface HostOptions {
  /** Whether writes are recorded and not sent. */
  readonly plan: boolean
  /** The most tool calls at the same time. */
  readonly parallel: number
  /** The saved scripts that led here, outermost first. */
  readonly path?: readonly string[]
  /** For a resumed script: what it did, and which of its calls ask something. */
  readonly trail?: TrailRecord | undefined
  readonly open?: readonly OpenCall[] | undefined
}

/** The call waits for a person, and so does the script. */
const LATER = { kind: 'later' } as const

/** Operations that wait for something outside; all others take time of the main thread. */
const ELSEWHERE: ReadonlySet<Operation> = new Set(['tool', 'select', 'sleep'])

/** The most saved scripts that one script runs at the same time: each has a virtual machine. */
const NESTED_AT_ONCE = 2

/** All that a script can reach: the gateway, in the name of the agent that runs it. */
export class ScriptHost implements Host {
  readonly trail: Trail
  /** Calls whose servers ask something. */
  readonly open: OpenCalls
  readonly #call: Identified
  readonly #begunIn: World
  readonly #plan: boolean
  readonly #slots: Semaphore
  readonly #nested = new Semaphore(NESTED_AT_ONCE)
  readonly #path: readonly string[]
  readonly #oneByOne = new Semaphore(1)
  #client: { readonly of: RunControls; readonly client: Client } | undefined

  constructor(call: Identified, world: World, options: HostOptions) {
    const { plan, parallel, trail, open, path = [] } = options
    this.trail = new Trail(trail)
    this.open = new OpenCalls(open)
    this.#call = call
    this.#begunIn = world
    this.#plan = plan
    this.#slots = new Semaphore(parallel)
    this.#path = path
  }

  /** A script may run for minutes: each of its calls is under the rules of its own time. */
  get #world(): World {
    return this.#begunIn.latest()
  }

  log(text: string): void {
    this.trail.logs.push(text)
  }

  async answer(ask: Ask, controls: RunControls): Promise<HostReply> {
    const { operation, names: namesJson } = ask
    const parsed: unknown = JSON.parse(namesJson)
    const names = Array.isArray(parsed) ? parsed.map(String) : []
    try {
      const answer = async () => this.#operations[operation](names, ask, controls)
      return await (ELSEWHERE.has(operation) ? answer() : this.#oneByOne.run(inTurn(answer)))
    } catch (error) {
      return toErrorReply(error)
    }
  }

  readonly #operations: Record<
    Operation,
    (names: readonly string[], ask: Ask, controls: RunControls) => Promise<HostReply>
  > = {
    tool: async ([server = '', tool = ''], ask, controls) =>
      this.#slots.run(async () => this.#callTool(server, tool, ask, controls)),

    find: async ([query = ''], { json }, controls) => {
      const { name } = findToolsTool.definition
      const args = new Arguments(findToolsTool.definition, { ...optionsOf(json), query })
      const answer = await this.#ask(name, controls, async (call) =>
        findToolsTool.answer(args, call, this.#world),
      )
      const found = isObject(answer['structuredContent']) ? answer['structuredContent'] : {}
      return toValue(found['tools'] ?? [])
    },

    describe: async ([name = ''], _ask, controls) => {
      let described = ''
      await this.#ask(getServerTools.definition.name, controls, async ({ agent }) => {
        described = describeByName(name, agent, this.#world)
        return { content: [] }
      })
      return toValue(described)
    },

    keep: async (_names, { json }) => {
      const kept = { content: [{ type: 'text', text: json }] }
      const owner = ownerOfResults(this.#call.agent)
      return toValue(await this.#world.storedResults.keep(kept, owner))
    },

    read: async ([handle = ''], { json }, controls) => {
      const options = optionsOf(json)
      const args = new Arguments(readResult.definition, { ...options, handle })
      const { storedResults } = this.#world
      let reply = toValue(null)
      await this.#ask(readResult.definition.name, controls, async ({ agent }) => {
        const reader = readerOf(agent, this.#world)
        // The whole result goes to the script as raw text: it may be large, and others wait.
        if (Object.keys(options).length === 0)
          reply = toReply(await storedResults.original(handle, reader))
        else
          reply = {
            kind: 'value',
            text: await storedResults.json(handle, reader, {
              select: args.text('select'),
              grep: args.text('grep'),
              offset: args.count('offset'),
              limit: args.positive('limit'),
              signal: controls.signal,
            }),
          }
        return { content: [] }
      })
      return reply
    },

    select: async ([expression = ''], { json }, { signal }) => {
      const owner = ownerOfResults(this.#call.agent)
      return { kind: 'value', text: await selectInText(owner, { data: json, expression }, signal) }
    },

    sleep: async (_names, { json }, { signal }) => {
      await sleep(Number(json), signal)
      return toValue(null)
    },
  }

  async #callTool(
    server: string,
    tool: string,
    { id, json }: Ask,
    controls: RunControls,
  ): Promise<HostReply> {
    const continued = this.open.continue(id)
    if (continued === 'waits') return LATER
    const args = parseExact(json)
    if (!isObject(args))
      throw new GatewayError('INVALID_PARAMS', `tools.${server}.${tool} takes one object`, {
        hint: `Call it as tools.${server}.${tool}({ name: value }).`,
      })
    const inbound = toInnerCall(this.#call, {
      operation: SCRIPT_CALL,
      address: { kind: 'tool', server, tool },
      params: { name: tool, arguments: args, ...continued?.params },
      client: this.#clientFor(controls),
      signal: controls.signal,
      options: {
        whole: true,
        plan: this.#plan,
        script: {
          path: this.#path,
          nested: async (work) => this.#nested.run(work),
          adopt: (made) => {
            if (made instanceof Trail) this.trail.adopt(entry, made)
          },
        },
      },
    })
    const entry = this.trail.entries[continued?.entry ?? -1] ?? this.#record(inbound, server, tool)
    try {
      const result = await this.#world.gateway.call(inbound)
      if (result['resultType'] === 'input_required') return this.#later(id, entry, result)
      entry.outcome = result['isError'] === true ? 'failed' : 'ok'
      return this.#planned(result, entry) ?? toReply(result)
    } catch (error) {
      entry.outcome = 'failed'
      throw error
    } finally {
      measure(entry, inbound)
    }
  }

  #later(id: number, entry: TrailEntry, result: CallResult): HostReply {
    entry.outcome = 'asks'
    this.open.add(id, this.trail.entries.indexOf(entry), result)
    return LATER
  }

  #record({ event: { id, startedAt } }: Inbound, server: string, tool: string): TrailEntry {
    const entry: TrailEntry = { id, server, tool, startedAt, outcome: 'running' }
    this.trail.entries.push(entry)
    return entry
  }

  /** Returns the placeholder for the result of a call that was not sent. */
  #planned({ _meta: meta }: CallResult, entry: TrailEntry): Reply | undefined {
    const planned = isObject(meta) ? meta[PLANNED_META] : undefined
    if (!isObject(planned)) return undefined
    entry.outcome = 'planned'
    const call = toApprove(planned)
    if (call) this.trail.needsApproval.push(call)
    const tool = `${entry.server}.${entry.tool}`
    const count = this.trail.planned.push({ tool, arguments: planned['arguments'] })
    return { kind: 'planned', text: `<result of ${tool}, planned write ${count}>` }
  }

  /** Runs what the gateway answers itself: recorded, identified and limited like any other call. */
  async #ask(
    operation: string,
    controls: RunControls,
    answer: (call: Identified) => Promise<CallResult>,
  ): Promise<CallResult> {
    const inbound = toInnerCall(this.#call, {
      operation,
      address: { kind: 'exposed', name: operation },
      params: {},
      client: this.#clientFor(controls),
      signal: controls.signal,
    })
    return this.#world.gateway.ask(inbound, answer)
  }

  /**
   * Returns the client of the outer call. A modern server asks it by ending its call, which
   * suspends the script; questions of an older server are passed to it while the script's clock is
   * paused. Extensions are removed: a script has no use for a task or a page.
   */
  #clientFor(controls: RunControls): Client {
    if (this.#client?.of !== controls) {
      const { client } = this.#call
      const { extensions: _dropped, ...capabilities } = client.capabilities
      const { pauseClock, resumeClock } = controls
      const asked = withQuestions({ ...client, capabilities }, pauseClock, resumeClock)
      this.#client = { of: controls, client: asked }
    }
    return this.#client.client
  }
}

function measure(entry: TrailEntry, { event: { durationMs, tokenCount } }: Inbound): void {
  if (durationMs !== undefined) entry.durationMs = durationMs
  if (tokenCount !== undefined) entry.tokens = tokenCount
}

/** Runs work after everything that is already waiting. */
function inTurn<Value>(work: () => Promise<Value>): () => Promise<Value> {
  return async () => {
    await setImmediate()
    return work()
  }
}

function toReply(result: CallResult): Reply {
  return result['isError'] === true
    ? toFailedReply(result)
    : { kind: 'result', text: toText(result) }
}

function toValue(value: unknown): Reply {
  return { kind: 'value', text: stringifyExact(value ?? null) }
}

function optionsOf(json: string): JsonObject {
  const options = parseExact(json)
  return isObject(options) ? options : {}
}

async function sleep(ms: number, signal: Signal): Promise<void> {
  await pause(Math.max(0, ms || 0), signal).catch(() => undefined)
}
