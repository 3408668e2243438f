import { useSignal } from '@preact/signals'
import type { ActAs } from '../../../src/dashboard/contract/access.ts'
import type { Builtin, Job } from '../../../src/dashboard/contract/builtins.ts'
import { isBusy } from '../ui/jobs.tsx'
import { asAgent } from './me.ts'
import { type Data, useData } from './use-data.ts'

/** Loads the state of a built-in server as the chosen agent sees it; often while its jobs run. */
export function useBuiltin<T extends { readonly jobs: readonly Job[] }>(
  load: (query: ActAs, signal: AbortSignal) => Promise<Builtin<T>>,
): Data<Builtin<T>> {
  const busy = useSignal(false)
  const agent = asAgent()
  return useData(
    JSON.stringify(agent),
    async (signal) => {
      const answer = await load(agent, signal)
      busy.value = answer.available && isBusy(answer.jobs)
      return answer
    },
    busy.value ? 700 : 10_000,
  )
}
