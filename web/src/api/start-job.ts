import type { Builtin, Job } from '../../../src/dashboard/contract/builtins.ts'
import { toast } from '../ui/notice/toasts.tsx'
import { toApiError } from './api-error.ts'

/** Starts a background job and shows why it could not be started; returns whether it was. */
export async function startJob(asked: Promise<Builtin<{ readonly job: Job }>>): Promise<boolean> {
  try {
    const answer = await asked
    if (!answer.available) toast(answer.message, 'warn')
    return answer.available
  } catch (error) {
    const { message, hint } = toApiError(error)
    toast(hint === undefined ? message : `${message}. ${hint}`, 'bad')
    return false
  }
}
