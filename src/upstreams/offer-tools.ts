import { compilePattern } from '../base/glob.ts'
import { GatewayError } from '../gateway/errors.ts'
import type { Listing, Upstream } from '../gateway/upstream.ts'
import { wrapViews } from './personal/wrap-views.ts'

/** Names or patterns of tools: the only ones that count, and those that do not. */
export interface ToolChoice {
  readonly only?: readonly string[]
  readonly without?: readonly string[]
}

/** The same server with fewer tools: the others are neither listed nor called, whoever asks. */
export function offerTools(upstream: Upstream, choice: ToolChoice): Upstream {
  const { only, without = [] } = choice
  const [kept, dropped] = [only, without].map((patterns) => patterns?.map(compilePattern))
  const isOffered = (tool: string) =>
    (kept?.some((matches) => matches(tool)) ?? true) && !dropped?.some((matches) => matches(tool))
  let last: { whole: Listing; offered: Listing } | undefined
  const toOffered = (whole: Listing): Listing => {
    if (last?.whole !== whole)
      last = {
        whole,
        offered: { ...whole, tools: whole.tools.filter(({ name }) => isOffered(name)) },
      }
    return last.offered
  }
  return {
    name: upstream.name,
    kind: upstream.kind,
    description: upstream.description,
    get status() {
      return upstream.status
    },
    get restarts() {
      return upstream.restarts
    },
    get connections() {
      return upstream.connections
    },
    get output() {
      return upstream.output
    },
    get listing() {
      return toOffered(upstream.listing)
    },
    async request(method, params, context) {
      const tool = String(params['name'])
      if (method === 'tools/call' && !isOffered(tool)) throw switchedOff(upstream.name, tool)
      return upstream.request(method, params, context)
    },
    ...wrapViews(upstream, (view) => offerTools(view, choice)),
    live: async (...args) => toOffered(await upstream.live(...args)),
    ...(upstream.refresh && { refresh: async () => upstream.refresh?.() }),
    watch: async (uri, client) => upstream.watch(uri, client),
    release: (session) => upstream.release(session),
    suspend: (session) => upstream.suspend(session),
    rules: (tool) => upstream.rules?.(tool),
    onNotification: (listener) => upstream.onNotification(listener),
    close: async (successor) => upstream.close(successor),
  }
}

function switchedOff(server: string, tool: string): GatewayError {
  return new GatewayError(
    'TOOL_NOT_FOUND',
    `Tool '${tool}' of server '${server}' is switched off`,
    {
      hint: `Its entry in the servers file lists it in disabled_tools, or leaves it out of enabled_tools.`,
      inconclusive: true,
    },
  )
}
