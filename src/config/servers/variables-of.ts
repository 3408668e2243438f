import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Environment } from '../../base/environment.ts'
import { type Parts, loadParts } from '../load.ts'
import { type Workspace, dataFolder } from '../paths.ts'
import { isFatal } from '../problem.ts'
import { variablesIn } from '../secrets/variables.ts'

/**
 * Returns the names of the variables to which the servers of a folder refer: those of the person's
 * own file, those of the folder's files that are trusted, and those of the API packs they name.
 */
export function variablesOf(cwd: string, env: Environment): string[] {
  return namesIn(loadParts({ cwd, env }), { cwd, env })
}

/**
 * Returns those of them that are not known yet: files have changed, or are trusted since. Returns
 * none while the files have a mistake with which the folder could not be opened.
 */
export function newVariablesOf(cwd: string, env: Environment, known: readonly string[]): string[] {
  const parts = loadParts({ cwd, env })
  if (Object.values(parts).some(({ problems }) => problems.some(isFatal))) return []
  return namesIn(parts, { cwd, env }).filter((name) => !known.includes(name))
}

function namesIn(parts: Parts, { cwd, env }: Required<Workspace>): string[] {
  const home = parts.settings.value?.home ?? dataFolder({ cwd, env })
  const texts = [
    ...parts.mcp.layers.flatMap(({ text = '' }) => text),
    ...packsOf(parts).flatMap((pack) => [home, cwd].flatMap((folder) => packIn(folder, pack))),
  ]
  return [...new Set([...texts.flatMap(variablesIn), ...ofEmbedder(parts)])]
}

function packsOf({ mcp }: Parts): string[] {
  return [...(mcp.value?.values() ?? [])].flatMap((server) =>
    server.kind === 'openapi' && /^[\w-]+$/.test(server.openapi) ? [server.openapi] : [],
  )
}

function packIn(folder: string, pack: string): string[] {
  try {
    return [readFileSync(join(folder, 'apis', pack, 'pack.yaml'), 'utf8')]
  } catch {
    return []
  }
}

/** OpenAI's own variable, which is used without being named. */
function ofEmbedder({ settings }: Parts): string[] {
  const { provider, model, apiKey } = settings.value?.embedding ?? {}
  const isOpenAi = provider === 'openai' || (provider === undefined && model !== undefined)
  return isOpenAi && apiKey === undefined ? ['OPENAI_API_KEY'] : []
}
