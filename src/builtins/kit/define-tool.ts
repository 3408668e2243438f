import type { z } from 'zod'
import type { JsonObject } from '../../base/json/json.ts'
import type { ServiceContext } from '../../protocol/service.ts'

/** A tool's result: text, a value sent as structured content and as JSON text, or a raw result. */
export type ToolOutput =
  | string
  | { readonly structured: unknown; readonly text?: string; readonly isError?: boolean }
  | { readonly raw: JsonObject }

export interface ToolDefinition<Input extends z.ZodObject, Deps> {
  readonly name: string
  readonly title?: string
  readonly description: string
  readonly input: Input
  /** A JSON Schema of `structured`, where it is stable enough to promise. */
  readonly output?: z.ZodType
  readonly annotations?: {
    readonly readOnlyHint?: boolean
    readonly destructiveHint?: boolean
    readonly idempotentHint?: boolean
    readonly openWorldHint?: boolean
  }
  run(input: z.output<Input>, deps: Deps, context: ServiceContext): Promise<ToolOutput>
}

/**
 * Returns its argument; for the type checker, it ties `run` to its own `input` schema.
 *
 * @example
 * ```ts
 * const openNow = defineTool({
 *   name: 'open_now',
 *   description: 'Whether a shop is open at this moment',
 *   input: z.object({ shop: z.string() }),
 *   annotations: { readOnlyHint: true },
 *   run: async ({ shop }, { clock }: { clock: () => Date }) =>
 *     clock().getHours() < 18 ? `${shop} is open` : `${shop} is closed`,
 * })
 * ```
 */
export function defineTool<Input extends z.ZodObject, Deps>(
  tool: ToolDefinition<Input, Deps>,
): ToolDefinition<Input, Deps> {
  return tool
}
