import type { ServiceContext } from '../../../protocol/service.ts'

const FIRST_MS = 5_000
const EVERY_MS = 2_000

/** Tells a client after five seconds, and then every two, that the call is still running. */
export async function withProgress<T>(
  work: () => Promise<T>,
  name: string,
  { progress }: Pick<ServiceContext, 'progress'>,
): Promise<T> {
  const startedAt = performance.now()
  const notify = () => {
    const seconds = Math.round((performance.now() - startedAt) / 1000)
    progress({ progress: seconds, message: `${name}: the API has not answered for ${seconds} s` })
    timer = setTimeout(notify, EVERY_MS)
  }
  let timer = setTimeout(notify, FIRST_MS)
  try {
    return await work()
  } finally {
    clearTimeout(timer)
  }
}
