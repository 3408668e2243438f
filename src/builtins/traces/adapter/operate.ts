import { z } from 'zod'
import type { JsonObject } from '../../../base/json/json.ts'
import { type Outcome, type TracesPort, toOperation } from '../port.ts'
import { toOutput } from './to-output.ts'

const request = z.object({
  method: z.enum(['GET', 'POST', 'DELETE']),
  path: z.string().startsWith('/api/v1/'),
  body: z.record(z.string(), z.unknown()).optional(),
})

export interface Operator {
  readonly port: TracesPort
  /** The key of an account that may moderate. */
  readonly key: () => Promise<string | undefined>
}

/** Answers a request of the operator, written as one to the REST API. */
export async function operate(
  { port, key }: Operator,
  params: JsonObject,
  signal: AbortSignal,
): Promise<JsonObject> {
  const { method, path, body } = request.parse(params)
  const operation = toOperation(method, path, body)
  const outcome: Outcome = operation
    ? await port.call({ ...operation, key: (await key()) ?? '', signal, isPatient: true })
    : { kind: 'refused', status: 404, detail: `There is no ${method} ${path}`, problem: {} }
  const output = toOutput(outcome, { kind: 'write', isExpected: () => true, text: () => 'ok' })
  const text = typeof output === 'string' || !('text' in output) ? '' : (output.text ?? '')
  return {
    content: [{ type: 'text', text }],
    structuredContent: outcome.kind === 'ok' ? outcome.body : {},
    isError: outcome.kind !== 'ok',
  }
}
