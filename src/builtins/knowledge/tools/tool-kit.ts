import { z } from 'zod'
import { type ToolDefinition, type ToolOutput, defineTool } from '../../kit/define-tool.ts'
import type { ServiceContext } from '../../../protocol/service.ts'
import type { KnowledgeBase } from '../knowledge-base.ts'
import { withTimeout } from '../../../base/flow/time.ts'
import { KnowledgeError, toKnowledgeError } from '../knowledge-error.ts'

export type KnowledgeTool<Input extends z.ZodObject, Answer = unknown> = ToolDefinition<
  Input,
  KnowledgeBase,
  Answer
>

interface KnowledgeToolOptions<Input extends z.ZodObject, Answer> extends Omit<
  KnowledgeTool<Input, Answer>,
  'run' | 'annotations'
> {
  readonly writes?: 'adds' | 'destroys'
  readonly openWorld?: boolean
  readonly answer: (
    input: z.output<Input>,
    base: KnowledgeBase,
    context: ServiceContext,
  ) => Promise<NoInfer<Answer>>
}

/** Defines a tool that answers in JSON and reports failures in the body as well as in `isError`. */
export function knowledgeTool<Input extends z.ZodObject, Answer = unknown>(
  options: KnowledgeToolOptions<Input, Answer>,
): KnowledgeTool<Input, Answer> {
  const { writes, openWorld = false, answer, ...tool } = options
  return defineTool<Input, KnowledgeBase, Answer>({
    ...tool,
    annotations: {
      readOnlyHint: writes === undefined,
      destructiveHint: writes === 'destroys',
      idempotentHint: true,
      openWorldHint: openWorld,
    },
    async run(input, base, context) {
      try {
        const working = answer(input, base, context)
        const structured = await (writes ? working : inTime(working, base.answerWithinMs))
        return { structured, text: answerText(structured) }
      } catch (error) {
        return failure(toKnowledgeError(error))
      }
    },
  })
}

/** Limits a reading tool's time, so that it reports a timeout in its own form before the caller. */
async function inTime<Answer>(answer: Promise<Answer>, ms: number): Promise<Answer> {
  return withTimeout(answer, ms, () => {
    throw new KnowledgeError('timeout_error', `The knowledge base did not answer within ${ms} ms`, {
      suggestion: 'Try again; if it happens again, see knowledge_health.',
    })
  })
}

/** Returns the text as it is sent: on one line, because indentation is a seventh of the tokens. */
export function answerText(structured: unknown): string {
  return JSON.stringify(structured)
}

/** Returns a failure with the fields of every specification: message, flag and suggestion. */
export function failure(error: KnowledgeError): ToolOutput<never> {
  const { message, code, recoverable, suggestion, details } = error
  const structured = {
    error: message,
    isError: true,
    message,
    code,
    recoverable,
    retryable: recoverable,
    suggestion,
    details,
    results: [],
  }
  return { structured, text: answerText(structured), isError: true }
}

/** Returns the trimmed query; throws if it is empty. */
export function required(query: string): string {
  const text = query.trim()
  if (!text) throw new KnowledgeError('invalid_input', 'Query is required')
  return text
}

/** Clamps numbers outside the range, as the contract requires. */
export function count(preset: number, most: number): z.ZodType<number, number | undefined> {
  return z
    .number()
    .default(preset)
    .transform((value) => Math.min(most, Math.max(1, Math.round(value))))
    .meta({
      type: 'integer',
      minimum: 1,
      maximum: most,
      description: `How many results at most, 1 to ${most}; beyond that it is clamped`,
    })
}

export const query = z.string().describe('What is looked for, in plain words')

export const threshold = z
  .number()
  .min(0)
  .max(1)
  .default(0)
  .describe('Results below this score (0..1) are left out')
