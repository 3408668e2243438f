import { insertTraces } from '../../src/storage/traces/trace-rows.ts'
import { toTrace } from '../../src/builtins/traces/service/operations/contribute-trace.ts'
import { newTrace } from '../../src/builtins/traces/service/schemas.ts'
import type { TracesUnderTest } from './a-traces-service.ts'
import { aTrace } from './traces-client.ts'

/** Stores many traces of one author without the API, for effects that need many traces. */
export async function storeTraces(
  { deps, storage }: TracesUnderTest,
  id: string,
  count: number,
): Promise<void> {
  const traces = Array.from({ length: count }, () => {
    const request = newTrace.parse(aTrace())
    return { trace: toTrace(deps, { id }, request, request.tags), tags: request.tags, bands: [] }
  })
  await storage.transaction(async (tx) => {
    for (let start = 0; start < count; start += 50)
      await insertTraces(tx, traces.slice(start, start + 50))
  })
}
