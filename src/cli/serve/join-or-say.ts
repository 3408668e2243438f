import type { Settings } from '../../config/settings/settings.ts'
import { dataFolder } from '../../config/paths.ts'
import { announceAlone } from '../../local/alone.ts'
import { runBridge } from '../../local/run-bridge.ts'
import type { ServeFlags } from './serve-flags.ts'
import { whyAlone } from './why-alone.ts'

/**
 * Joins the person's gateway and never returns; or says why this process serves its client alone.
 * Plain starts have tried this before, without loading the settings.
 */
export async function joinOrSay(
  { surface, toolset, debug, ...flags }: ServeFlags,
  settings: Settings | undefined,
): Promise<void> {
  const { env } = process
  const place = { cwd: process.cwd(), env }
  const home = dataFolder(place)
  const isolated = debug ? '--debug applies to one gateway' : whyAlone(flags, place, settings)
  const request = { home, folder: place.cwd, env, surface, toolset }
  const openAlone = async (why: string) => {
    announceAlone(home, env, why)
    return (await import('./over-stdio.ts')).serveInProcess(request)
  }
  announceAlone(home, env, isolated ?? (await runBridge(request, openAlone)))
}
