import { messageOf } from '../base/errors.ts'
import { EMPTY_LISTING, checkLists, toTool } from './listing/listing.ts'
import {
  type Listing,
  NO_DIAGNOSTICS,
  type Upstream,
  type UpstreamContext,
} from '../gateway/upstream.ts'
import type { JsonObject } from '../base/json/json.ts'
import { toDoubles } from '../base/json/exact-json.ts'
import { NO_CALLER, type Service, type ServiceContext } from '../protocol/service.ts'
import { skillsOf } from '../protocol/skills.ts'
import { carriedBy } from '../protocol/trace-context.ts'
import { type Signal, toAbortSignal } from '../base/flow/signal.ts'
import { untilAborted, withTimeout } from '../base/flow/time.ts'
import { REMOVED } from './connections/line.ts'
import { explainFailure } from './failures.ts'
import { progressTo } from './progress-to.ts'

export interface InProcessOptions {
  readonly name: string
  readonly kind?: 'in-process' | 'openapi'
  readonly description: string | undefined
  /** Called on first use, so that an unused server costs nothing. */
  open(): Promise<Service>
  /** Answers requests that make other calls for their caller; undefined for those of the service. */
  makeCalls?(
    method: string,
    params: JsonObject,
    context: UpstreamContext,
  ): Promise<JsonObject> | undefined
}

/** As for a server outside of this process. */
const DRAIN_MS = 30_000

/** Wraps a service in this process so that the gateway treats it exactly like a remote server. */
export function createInProcess(options: InProcessOptions): Upstream {
  const listeners = new Set<(method: string, params: JsonObject) => void>()
  let opening: Promise<Service> | undefined
  let listing: Listing = EMPTY_LISTING
  let current: Service | undefined
  let status: Upstream['status'] = { state: 'idle' }
  /** Requests in flight, with the signals of their callers. */
  const running = new Map<Promise<JsonObject>, Signal>()
  let successor: Upstream | undefined
  let isClosing = false

  function replacement(): Upstream {
    if (successor) return successor
    throw explainFailure(options.name, new Error(REMOVED))
  }

  /** Waits for the requests in flight, but not for those that nobody waits for any more. */
  async function drained(): Promise<void> {
    const all = [...running].map(async ([answer, signal]) => untilAborted(answer, signal))
    await withTimeout(Promise.allSettled(all), DRAIN_MS, () => undefined)
  }

  async function service(): Promise<Service> {
    opening ??= open()
    return opening
  }

  async function open(): Promise<Service> {
    status = { state: 'starting' }
    try {
      const opened = await options.open()
      opened.onNotification?.((method, params) => {
        const notify = () => {
          for (const listener of listeners) listener(method, params)
        }
        // Listeners read the listing at once, so it is replaced before they are notified.
        if (opening && method.endsWith('/list_changed'))
          opening = relist(opened)
            .then(
              () => opened,
              () => opened,
            )
            .finally(notify)
        else notify()
      })
      status = { state: 'ready', era: 'modern', since: Date.now() }
      current = opened
      return await relist(opened)
    } catch (error) {
      opening = undefined
      const message = messageOf(error)
      status = { state: 'down', error: message, retryAt: Date.now() }
      throw error
    }
  }

  async function relist(opened: Service): Promise<Service> {
    const listed = async (
      capability: string,
      method: string,
      key: string,
    ): Promise<readonly unknown[]> => {
      if (capability !== 'tools' && opened.capabilities[capability] === undefined) return []
      const { [key]: all } = await opened.handle(method, {}, NO_CALLER)
      return Array.isArray(all) ? all : []
    }
    const lists = checkLists({
      tools: await listed('tools', 'tools/list', 'tools'),
      prompts: await listed('prompts', 'prompts/list', 'prompts'),
      resources: await listed('resources', 'resources/list', 'resources'),
      resourceTemplates: await listed('resources', 'resources/templates/list', 'resourceTemplates'),
      skills: skillsOf(opened.capabilities) && (await listed('resources', 'skills/list', 'skills')),
    })
    listing = {
      ...lists,
      tools: lists.tools.map((definition) => toTool(options.name, definition)),
      capabilities: opened.capabilities,
      instructions: opened.instructions,
      serverInfo: { ...opened.info },
    }
    return opened
  }

  return {
    name: options.name,
    kind: options.kind ?? 'in-process',
    description: options.description,
    diagnostics: NO_DIAGNOSTICS,
    get status() {
      return status
    },
    get listing() {
      return listing
    },
    async request(method, params, context) {
      if (isClosing) return replacement().request(method, params, context)
      const made = options.makeCalls?.(method, params, context)
      if (made) return made
      const opened = await service()
      // Schemas of built-in servers know only plain numbers; an API is sent exactly what was given.
      const given = options.kind === 'openapi' ? params : toDoubles(params)
      const answer = opened.handle(method, given, toServiceContext(params, context))
      running.set(answer, context.signal)
      try {
        return await answer
      } finally {
        running.delete(answer)
      }
    },
    async list(how) {
      if (isClosing) return replacement().list(how)
      // Its listing follows its notifications, so there is no need to ask it again.
      if (!how?.again) await service()
      return listing
    },
    inProcess: {
      makesCalls: options.makeCalls !== undefined,
      isEmpty: async () => (await current?.isEmpty?.()) ?? false,
      check: async () => current?.check?.(),
      rules: (tool) => current?.rules?.(tool),
    },
    // Notifications reach all listeners without a subscription.
    watch: async () => () => undefined,
    sessionChanged() {},
    onNotification(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    async close(next) {
      status = { state: 'closed' }
      isClosing = true
      successor = next
      const opened = await opening?.catch(() => undefined)
      await drained()
      await opened?.close()
    },
  }
}

function toServiceContext(params: JsonObject, context: UpstreamContext): ServiceContext {
  const { client, signal, agent } = context
  let platform: AbortSignal | undefined
  return {
    // Made on first use: most tools never read it, and platform signals are expensive.
    get signal() {
      platform ??= toAbortSignal(signal)
      return platform
    },
    timeLeftMs: () =>
      signal.deadlineAt === undefined ? undefined : signal.deadlineAt - performance.now(),
    agent,
    stored: context.call?.options.stored,
    isRemote: client.transport === 'http' || client.transport === 'ws',
    headers: client.headers,
    get trace() {
      return carriedBy(params, client.headers)
    },
    project: async () => client.project(),
    progress: (update) => progressTo(client, params)?.({ ...update }),
  }
}
