import type { z } from 'zod'
import type { ServiceContext } from '../../protocol/service.ts'

/** A tool's result: text, or a value sent as structured content and as JSON text. */
export type ToolOutput<Structured = unknown> =
  | string
  | { readonly structured: Structured; readonly text?: string; readonly isError?: false }
  | { readonly structured: unknown; readonly text?: string; readonly isError: true }

export interface ToolDefinition<Input extends z.ZodObject, Deps, Structured = unknown> {
  readonly name: string
  readonly title?: string
  readonly description: string
  readonly input: Input
  /** What the dashboard reads of `structured`, which may hold more. Clients are not shown it. */
  readonly output?: z.ZodType<Structured>
  readonly annotations?: {
    readonly readOnlyHint?: boolean
    readonly destructiveHint?: boolean
    readonly idempotentHint?: boolean
    readonly openWorldHint?: boolean
  }
  run(
    input: z.output<Input>,
    deps: Deps,
    context: ServiceContext,
  ): Promise<ToolOutput<NoInfer<Structured>>>
}

/**
 * Returns its argument; for the type checker, it ties `run` to its own schemas.
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
export function defineTool<Input extends z.ZodObject, Deps, Structured = unknown>(
  tool: ToolDefinition<Input, Deps, Structured>,
): ToolDefinition<Input, Deps, Structured> {
  return tool
}
