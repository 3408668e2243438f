import type { Tool } from '../gateway/upstream.ts'
import { type Request, type Requester, agentOf } from '../gateway/request.ts'
import { ERAS } from '../protocol/eras/eras.ts'
import { RPC, RpcError } from '../protocol/json-rpc.ts'
import {
  type HeaderMark,
  decodeHeader,
  headerMarks,
  paramHeaders,
} from '../protocol/param-headers.ts'
import type { World } from './world.ts'

const known = new WeakMap<object, readonly HeaderMark[]>()

/**
 * The modern era repeats marked arguments in `Mcp-Param-*` headers. Proxies route
 * by them, so a call whose headers differ from its body is refused.
 */
export function checkParamHeaders(
  request: Requester & Pick<Request, 'params'>,
  tool: Tool,
  world: Pick<World, 'identify' | 'policy'>,
): Promise<void> | undefined {
  const { client, caller } = request
  if (!ERAS[client.era].repeatsArguments || caller.transport !== 'http') return undefined
  const marks = marksOf(tool)
  return marks.length === 0 ? undefined : compare(request, { tool, marks, world })
}

interface Compared {
  readonly tool: Tool
  readonly marks: readonly HeaderMark[]
  readonly world: Pick<World, 'identify' | 'policy'>
}

async function compare(
  request: Requester & Pick<Request, 'params'>,
  { tool, marks, world }: Compared,
): Promise<void> {
  const { client, params } = request
  const agent = await agentOf(request, world)
  // A caller that may not use the tool gets the chain's denial, and learns no header.
  if (world.policy.tool(agent, tool.server, tool.name).effect === 'deny') return
  const expected = paramHeaders(marks, params['arguments'])
  for (const { header } of marks) {
    const name = `mcp-param-${header.toLowerCase()}`
    assertEqual(`Mcp-Param-${header}`, client.headers[name], expected[name])
  }
}

function marksOf({ definition }: Tool): readonly HeaderMark[] {
  const marks = known.get(definition) ?? headerMarks(definition['inputSchema'])
  known.set(definition, marks)
  return marks
}

function assertEqual(header: string, said: string | undefined, expected: string | undefined): void {
  if (said === expected) return
  const decoded = said === undefined ? undefined : decodeHeader(said)
  if (decoded !== undefined && expected !== undefined && decoded === decodeHeader(expected)) return
  throw new RpcError(RPC.headerMismatch, `Header mismatch: ${problemWith(header, said, decoded)}`)
}

function problemWith(header: string, said: string | undefined, decoded: string | undefined) {
  if (said === undefined) return `required header ${header} is missing`
  if (decoded === undefined) return `${header} header value '${said}' is not valid Base64`
  return `${header} header value '${said}' does not match the argument in the body`
}
