import { type ToolMeanings, createToolMeanings } from '../surfaces/tool-meanings.ts'
import type { Log } from '../telemetry/log.ts'
import { embedderFrom } from './embedder-from.ts'

/** Tools by meaning, with the embedder that the environment names; by words alone without one. */
export function toolMeaningsFrom(
  env: Readonly<Record<string, string | undefined>>,
  home: string,
  log: Log,
): ToolMeanings | undefined {
  try {
    const embedder = embedderFrom(env, home)
    return embedder && createToolMeanings(embedder)
  } catch (error) {
    log.warn(`find_tools ranks by words alone: ${String(error)}`)
    return undefined
  }
}
