import { toast } from '../ui/notice/toasts.tsx'
import { toApiError } from './api-error.ts'

/** Runs an action of the reader; if it fails, a toast says why and what to do next. */
export async function act(work: () => Promise<void>): Promise<void> {
  try {
    await work()
  } catch (error) {
    const { message, hint } = toApiError(error)
    toast(hint === undefined ? message : `${message.replace(/\.$/, '')}. ${hint}`, 'bad')
  }
}
