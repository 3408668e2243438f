import { findBubblewrap } from '../../src/upstreams/stdio/bubblewrap/find-bubblewrap.ts'
import { debianProgram } from './debian-program.ts'

/** Installs bubblewrap where it is missing, and says clearly where it cannot make a sandbox. */
export async function needBubblewrap(): Promise<void> {
  const packageName = 'bubblewrap'
  await debianProgram({ name: 'bwrap', packageName, need: 'These tests need bubblewrap.' })
  const found = await findBubblewrap()
  if ('why' in found)
    throw new Error(`These tests need a sandbox, and ${found.why}. ${found.nextStep}`)
}
