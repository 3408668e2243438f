import type { Deps } from '../deps.ts'

/** For what a request also records: when that fails (a full disk), its caller still gets the answer. */
export async function bestEffort({ onFault }: Deps, work: () => Promise<unknown>): Promise<void> {
  await work().catch((error: unknown) => onFault(error, 'best effort'))
}
