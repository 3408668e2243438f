import { z } from 'zod'
import type { JsonObject } from '../../../base/json/json.ts'
import type { Backend } from './backend.ts'
import { toOutput } from './to-output.ts'

const request = z.object({
  method: z.enum(['GET', 'POST', 'DELETE']),
  path: z.string().startsWith('/api/v1/'),
  body: z.record(z.string(), z.unknown()).optional(),
})

export interface Operator {
  readonly backend: Backend
  /** The key of an account that may moderate. */
  readonly key: () => Promise<string | undefined>
}

/** Forwards a request of the operator to the service unchanged. */
export async function operate(
  { backend, key }: Operator,
  params: JsonObject,
  signal: AbortSignal,
): Promise<JsonObject> {
  const { body, ...asked } = request.parse(params)
  const outcome = await backend.call({
    ...asked,
    ...(body && { body }),
    // Uses the time limit of a write, because a person waits.
    kind: 'write',
    key: (await key()) ?? '',
    signal,
  })
  const output = toOutput(outcome, { kind: 'write', isExpected: () => true, text: () => 'ok' })
  const text = typeof output === 'string' || !('text' in output) ? '' : (output.text ?? '')
  return {
    content: [{ type: 'text', text }],
    structuredContent: outcome.kind === 'ok' ? outcome.body : {},
    isError: outcome.kind !== 'ok',
  }
}
