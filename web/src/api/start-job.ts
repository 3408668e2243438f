import type { Builtin, StartedJob } from '../../../src/dashboard/contract/builtins.ts'
import { toast } from '../ui/notice/toasts.tsx'
import { act } from './act.ts'

/** Starts a background job and shows why it could not be started; returns whether it was. */
export async function startJob(asked: Promise<Builtin<StartedJob>>): Promise<boolean> {
  let isStarted = false
  await act(async () => {
    const answer = await asked
    if (!answer.available) toast(answer.message, 'warn')
    isStarted = answer.available
  })
  return isStarted
}
