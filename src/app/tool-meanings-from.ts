import type { ToolMeanings } from '../surfaces/tool-search/tool-meanings.ts'
import type { Log } from '../telemetry/log.ts'

/** Tools by meaning, with the embedder that the environment names; by words alone without one. */
export async function toolMeaningsFrom(
  env: Readonly<Record<string, string | undefined>>,
  home: string,
  log: Log,
): Promise<ToolMeanings | undefined> {
  if (!env['PORTOLAN_EMBEDDING_MODEL']) return undefined
  const [{ embedderFrom }, { createToolMeanings }] = await Promise.all([
    import('./embedder-from.ts'),
    import('../surfaces/tool-search/tool-meanings.ts'),
  ])
  try {
    const embedder = embedderFrom(env, home)
    return embedder && createToolMeanings(embedder)
  } catch (error) {
    log.warn(`find_tools ranks by words alone: ${String(error)}`)
    return undefined
  }
}
