import type { Deps } from '../deps.ts'

/** What a read notes down on its way: when that fails (a full disk), the reader still gets its answer. */
export async function inPassing({ onFault }: Deps, work: () => Promise<unknown>): Promise<void> {
  await work().catch((error: unknown) => onFault(error, 'in passing'))
}
