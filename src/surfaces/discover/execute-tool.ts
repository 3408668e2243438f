import type { Address, CallOptions, Inbound } from '../../gateway/call.ts'
import type { JsonObject } from '../../base/json/json.ts'
import { Arguments } from '../arguments.ts'
import type { Request } from '../../gateway/request.ts'
import { toInbound } from '../inbound.ts'
import { ALWAYS_LOADED, inputSchema } from './meta-tool.ts'

export const EXECUTE_TOOL = {
  name: 'execute_tool',
  description: 'Call a tool of a server. The result is what the server answered.',
  inputSchema: inputSchema(
    {
      server: { type: 'string' },
      tool: { type: 'string' },
      args: { type: 'object', description: "Arguments by the tool's inputSchema" },
      timeout_ms: { type: 'integer' },
      max_tokens: { type: 'integer', description: 'Shorten a longer result' },
      no_cache: { type: 'boolean' },
    },
    ['server', 'tool'],
  ),
  _meta: ALWAYS_LOADED,
}

/** The arguments of `execute_tool`. */
export interface Execution {
  readonly server: string
  readonly tool: string
  readonly args: JsonObject
  readonly options: CallOptions
}

export function readExecution(values: unknown): Execution {
  // `arguments` is MCP's own word for them, which models write as often.
  const args = new Arguments(EXECUTE_TOOL, values, ['arguments'])
  const tool = args.required('tool')
  return {
    tool,
    args: args.object('args', 'arguments'),
    server: args.required('server'),
    options: {
      // 0 asks for no limit of its own, as in agent-mcp-gateway.
      timeoutMs: args.count('timeout_ms') || undefined,
      maxTokens: args.positive('max_tokens'),
      noCache: args.flag('no_cache'),
    },
  }
}

/** Returns the call that `execute_tool` stands for, addressed to the server itself. */
export function toExecution(request: Request, values: unknown): Inbound {
  const { server, tool, args, options } = readExecution(values)
  const { arguments: _own, name: _name, ...rest } = request.params
  const address: Address = { kind: 'tool', server, tool }
  const params = { ...rest, name: tool, arguments: args }
  return toInbound(request, EXECUTE_TOOL.name, address, { params, options })
}
