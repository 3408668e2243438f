import { compilePattern } from '../base/text/glob.ts'
import { GatewayError } from '../gateway/errors.ts'
import type { Upstream } from '../gateway/upstream.ts'
import { wrapUpstream } from './wrap-upstream.ts'

/** Names or patterns of tools to offer exclusively, and of those to leave out. */
export interface ToolChoice {
  readonly only?: readonly string[]
  readonly without?: readonly string[]
}

/** Wraps a server so that it has fewer tools: the others are neither listed nor callable. */
export function offerTools(upstream: Upstream, { only, without = [] }: ToolChoice): Upstream {
  const [kept, dropped] = [only, without].map((patterns) => patterns?.map(compilePattern))
  const isOffered = (tool: string) =>
    (kept?.some((matches) => matches(tool)) ?? true) && !dropped?.some((matches) => matches(tool))
  return wrapUpstream(
    upstream,
    (inner) => ({
      async request(method, params, context) {
        const tool = String(params['name'])
        if (method === 'tools/call' && !isOffered(tool)) throw switchedOff(inner.name, tool)
        return inner.request(method, params, context)
      },
    }),
    (whole) => ({ ...whole, tools: whole.tools.filter(({ name }) => isOffered(name)) }),
  )
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
