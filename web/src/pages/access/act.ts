import { toApiError } from '../../api/api-error.ts'
import { toast } from '../../ui/notice/toasts.tsx'

/** Runs an action of the reader, and shows a toast if it fails. */
export async function act(work: () => Promise<void>): Promise<void> {
  await work().catch((error: unknown) => {
    const { message, hint } = toApiError(error)
    toast(hint === undefined ? message : `${message}. ${hint}`, 'bad')
  })
}

export function when(date: string | null): string {
  return date === null ? '' : new Date(date).toLocaleString()
}
