import type { JsonObject } from '../../src/base/json/json.ts'
import type { Service, ServiceContext } from '../../src/protocol/service.ts'

export interface ToolAnswer {
  readonly text: string
  // oxlint-disable-next-line typescript/no-explicit-any -- the tests look into answers of every shape
  readonly structured: any
  readonly isError: unknown
  readonly ms: number
}

export function aContext(headers: Record<string, string> = {}): ServiceContext {
  return {
    signal: new AbortController().signal,
    agent: undefined,
    isRemote: false,
    headers,
    project: async () => ({ path: '/', source: 'cwd' }),
    progress: () => {},
  }
}

/** Calls a tool of a built-in server as the gateway would, and times it. */
export async function use(
  service: Service,
  name: string,
  args: JsonObject = {},
  headers: Record<string, string> = {},
): Promise<ToolAnswer> {
  const started = performance.now()
  const result = await service.handle('tools/call', { name, arguments: args }, aContext(headers))
  const [block] = Array.isArray(result['content']) ? result['content'] : []
  return {
    text: block.text,
    structured: result['structuredContent'],
    isError: result['isError'],
    ms: performance.now() - started,
  }
}
