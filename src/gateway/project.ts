import { isAbsolute } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type JsonObject, isObject } from '../base/json/json.ts'
import type { Project } from '../protocol/service.ts'
import type { Environment } from '../base/environment.ts'

export interface ProjectClues {
  /** The answer of the client to `roots/list`; absent when it has no roots or did not answer. */
  readonly roots: JsonObject | undefined
  /** `?project_path=` of the request's address. */
  readonly query: string | undefined
  readonly env: Environment
  readonly cwd: string
  readonly isFolder: (path: string) => boolean
}

/** Detects the agent's project: by roots, address, environment, or our working directory. */
export function detectProject({ roots, query, env, cwd, isFolder }: ProjectClues): Project {
  const root = rootPaths(roots).find(isFolder)
  if (root !== undefined) return { path: root, source: 'roots' }
  if (query !== undefined && isAbsolute(query) && isFolder(query))
    return { path: query, source: 'query_param' }
  const named = env['PORTOLAN_PROJECT']
  if (named && isFolder(named)) return { path: named, source: 'env' }
  return { path: cwd, source: 'cwd' }
}

/** Returns the paths of the `file:` roots, percent-decoded; other roots are ignored. */
function rootPaths(answer: JsonObject | undefined): string[] {
  const roots = answer?.['roots']
  if (!Array.isArray(roots)) return []
  return roots.flatMap((root) => {
    const uri = isObject(root) ? root['uri'] : undefined
    if (typeof uri !== 'string' || !/^file:/i.test(uri)) return []
    try {
      return [fileURLToPath(uri)]
    } catch {
      return []
    }
  })
}
