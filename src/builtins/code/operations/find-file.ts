import { existsSync, realpathSync, statSync } from 'node:fs'
import { resolve, sep } from 'node:path'
import { isInside, resolveLinks } from '../../../base/files/paths.ts'
import type { ServiceContext } from '../../../protocol/service.ts'
import { findProject } from '../project/find-project.ts'
import type { CodeDeps } from '../tools/code-deps.ts'
import { InBandError } from '../tools/in-band-error.ts'
import type { FileRequest } from './inputs.ts'

/** Returns the real path of a file in an indexed or detected project; others are out of reach. */
export async function findFile(
  { path, index_name: name }: FileRequest,
  deps: CodeDeps,
  context: Pick<ServiceContext, 'project'>,
): Promise<string> {
  const detected = await detectedRoot(context)
  const named = name === undefined ? undefined : deps.library.store.summary(name)?.root
  if (name !== undefined && named === undefined)
    throw new InBandError('Index not found', `Index '${name}' not found`)
  const base = named ?? detected ?? sep
  const roots = [detected, ...deps.library.store.list().map(({ root }) => root)]
    .filter((root) => root !== undefined && existsSync(root))
    .map((root) => realpathSync(root ?? ''))
  const file = resolve(base, path)
  // Checked before the disk is read: the answer must not reveal whether a file exists elsewhere.
  if (!roots.some((root) => isInside(file, root))) throw outside(path)
  const real = resolveLinks(file)
  if (!roots.some((root) => isInside(real, root))) throw outside(path)
  if (!existsSync(real) || !statSync(real).isFile()) throw missing(path)
  return real
}

/** Only a marked project counts: the working directory of a server may be anything. */
async function detectedRoot({
  project,
}: Pick<ServiceContext, 'project'>): Promise<string | undefined> {
  try {
    const { root, isMarked } = findProject((await project()).path)
    return isMarked ? root : undefined
  } catch {
    return undefined
  }
}

function outside(path: string): InBandError {
  return new InBandError(
    'Path not allowed',
    `${path} is outside of every indexed project. Index its project to see it.`,
  )
}

function missing(path: string): InBandError {
  return new InBandError('File not found', `There is no file ${path}`)
}
