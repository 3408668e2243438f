import { z } from 'zod'
import { RPC, RpcError } from '../../protocol/json-rpc.ts'
import { type PromptDefinition, answerPrompts } from '../../protocol/answer-prompts.ts'
import { toLines } from '../../base/json/to-lines.ts'
import { type JsonObject, isObject } from '../../base/json/json.ts'
import type { Service, ServiceContext } from '../../protocol/service.ts'
import type { ToolDefinition, ToolOutput } from './define-tool.ts'

// The tools of a list differ in input type; each `run` only receives input that its schema parsed.
// oxlint-disable-next-line typescript/no-explicit-any
export type AnyTool<Deps> = ToolDefinition<any, Deps, any>

export interface ServiceOptions<Deps> {
  readonly name: string
  readonly version: string
  readonly instructions?: string
  readonly tools: readonly AnyTool<Deps>[]
  readonly deps: Deps
  readonly prompts?: readonly PromptDefinition[]
  /** Whether the service holds no data yet. */
  readonly isEmpty?: () => Promise<boolean>
  close?(): Promise<void>
}

/**
 * Turns a list of tools into an MCP server in this process.
 *
 * @example
 * ```ts
 * const hours = createService({ name: 'hours', version: '1.0.0', tools: [openNow], deps: { clock } })
 * ```
 */
export function createService<Deps>(options: ServiceOptions<Deps>): Service {
  const byName = new Map(options.tools.map((tool) => [tool.name, tool]))
  const listed = options.tools.map(describe)

  async function callTool(params: JsonObject, context: ServiceContext): Promise<JsonObject> {
    const tool = byName.get(String(params['name']))
    if (!tool) throw new RpcError(RPC.invalidParams, `Unknown tool: ${String(params['name'])}`)
    const parsed = tool.input.safeParse(params['arguments'] ?? {})
    if (!parsed.success) return failure(explain(parsed.error))
    return toResult(await tool.run(parsed.data, options.deps, context))
  }

  return {
    info: { name: options.name, version: options.version },
    capabilities: { tools: {}, ...(options.prompts && { prompts: {} }) },
    ...(options.instructions !== undefined && { instructions: options.instructions }),
    async handle(method, params, context) {
      if (method === 'tools/list') return { tools: listed }
      if (method === 'tools/call') return callTool(params, context)
      const prompt = options.prompts && answerPrompts(options.prompts, method, params)
      if (prompt) return prompt
      throw new RpcError(RPC.methodNotFound, `Method not found: ${method}`)
    },
    ...(options.isEmpty && { isEmpty: options.isEmpty }),
    async close() {
      await options.close?.()
    },
  }
}

function describe(tool: AnyTool<never>): JsonObject {
  return {
    name: tool.name,
    ...(tool.title !== undefined && { title: tool.title }),
    description: tool.description,
    inputSchema: toJsonSchema(tool.input),
    ...(tool.annotations && { annotations: tool.annotations }),
  }
}

function toJsonSchema(schema: z.ZodType): JsonObject {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io: 'input' })
  return rest
}

function toResult(output: ToolOutput): JsonObject {
  if (typeof output === 'string') return { content: [{ type: 'text', text: output }] }
  const { structured, isError } = output
  const text = output.text ?? toLines(structured)
  return {
    content: [{ type: 'text', text }],
    ...(isObject(structured) && { structuredContent: structured }),
    ...(isError !== undefined && { isError }),
  }
}

function failure(text: string): JsonObject {
  return { content: [{ type: 'text', text }], isError: true }
}

function explain(error: z.ZodError): string {
  const problems = error.issues.map(({ path, message }) =>
    path.length > 0 ? `${path.join('.')}: ${message}` : message,
  )
  return `Invalid arguments: ${problems.join('; ')}`
}
