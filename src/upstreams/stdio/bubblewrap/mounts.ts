import { existsSync, lstatSync, mkdirSync, readdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, extname, join, relative, resolve } from 'node:path'
import { isInside, resolveLinks } from '../../../base/files/paths.ts'
import { BELIEVED_PLACES, SECRET_PLACES, SYSTEM_PLACES } from './places.ts'
import { presetsOf } from './presets.ts'
import { homeOf, namedPaths, programPlaces } from './program-places.ts'
import { type Mount, NoSandbox, type SandboxRequest } from './sandbox.ts'

interface Grant {
  readonly path: string
  readonly how: 'read' | 'write'
}

/**
 * Returns what a server sees beside the system: the folder where it works, its program, and what its
 * entry names. In what it sees, secrets are hidden, and what other programs believe is read-only,
 * unless the entry names it. A later mount is on top of the earlier ones.
 */
export function mountsFor(request: SandboxRequest): Mount[] {
  const { program, packageFolder } = request
  const home = resolveLinks(homeOf(program.inherits ?? process.env))
  const ownFolders = [...request.ownFolders, ...runFolders()].map(resolveLinks)
  const secrets = SECRET_PLACES.map((name) => resolveLinks(join(home, name)))
  const named = namedGrants(request)
  const isNamed = (path: string) => named.some((grant) => resolveLinks(grant.path) === path)
  const implied = impliedGrants(request).filter(({ path }) => {
    const source = resolveLinks(path)
    return !isInside(home, source) && !secrets.some((secret) => isInside(source, secret))
  })
  const writable = [...implied, ...named].filter(({ how }) => how === 'write')
  for (const { path } of named)
    refusePlantedLink(path, [...writable, { path: workFolder(request) }])
  const grants = [...implied, ...named]
    .map(({ path, how }): Mount => ({ path, source: resolveLinks(path), how }))
    .filter(({ source }) => existsSync(source))
    .filter(({ source }) => !ownFolders.some((folder) => isInside(source, folder)))
    .filter(
      ({ path, how }) => how === 'write' || !SYSTEM_PLACES.some((place) => isInside(path, place)),
    )
  const believed = grants
    .filter(({ how }) => how === 'write')
    .flatMap((grant) => {
      const places = BELIEVED_PLACES.map((name) => join(grant.source, name))
      return inside(places, 'read', [grant])
    })
  const hidden = inside(secrets, 'hide', grants)
  const kept = [...hidden, ...believed].filter(({ source }) => !isNamed(source))
  const sorted = [...kept, ...grants].toSorted(
    (one, other) => one.path.length - other.path.length || RANK[one.how] - RANK[other.how],
  )
  return [
    ...new Map(sorted.map((mount) => [JSON.stringify(mount), mount])).values(),
    ...inside(ownFolders, 'hide', grants),
    ...(packageFolder === undefined
      ? []
      : [{ path: packageFolder, source: resolveLinks(packageFolder), how: 'read' as const }]),
  ]
}

/** Returns places as they are seen in the grants that contain them. */
function inside(
  places: readonly string[],
  how: 'hide' | 'read',
  within: readonly Mount[],
): Mount[] {
  return places.filter(existsSync).flatMap((place) =>
    within
      .filter(({ source }) => isInside(place, source))
      .map(({ path, source }) => ({
        path: join(path, relative(source, place)),
        source: place,
        how,
      })),
  )
}

const RANK = { hide: 0, read: 1, write: 2 }

function workFolder({ program }: SandboxRequest): string {
  return program.cwd ?? process.cwd()
}

/** What the entry names for the sandbox. A folder to write that does not exist is created. */
function namedGrants(request: SandboxRequest): Grant[] {
  const { read, write } = request.sandbox
  const writable = toGrants(write, 'write', request)
  for (const { path } of writable) {
    if (existsSync(path)) continue
    if (extname(path) !== '')
      throw new NoSandbox(
        `its sandbox names ${path}, which does not exist`,
        'Create the file, or name the folder where the server is to create it.',
      )
    mkdirSync(path, { recursive: true })
  }
  return [...toGrants(read, 'read', request), ...writable]
}

function toGrants(paths: readonly string[], how: Grant['how'], request: SandboxRequest): Grant[] {
  return paths.map((path) => ({ path: inWorkFolder(path, request), how }))
}

function inWorkFolder(path: string, request: SandboxRequest): string {
  const home = homeOf(request.program.inherits ?? process.env)
  const expanded = path === '~' || path.startsWith('~/') ? join(home, path.slice(1)) : path
  return resolve(workFolder(request), expanded)
}

/** What follows from the command: never a home folder, nor what is secret in it. */
function impliedGrants(request: SandboxRequest): Grant[] {
  const { program } = request
  const presets = presetsOf(program.command, program.args)
  const writes = presets.some(({ writesNamed }) => writesNamed === true)
  const kept = toGrants(
    presets.flatMap(({ write = [] }) => write),
    'write',
    request,
  )
  for (const { path } of kept) mkdirSync(path, { recursive: true })
  const read = [
    workFolder(request),
    ...programPlaces(program),
    ...presets.flatMap((preset) => preset.read ?? []),
  ]
  return [
    ...toGrants(read, 'read', request),
    ...toGrants(namedPaths(program, writes), writes ? 'write' : 'read', request),
    ...kept,
  ]
}

/**
 * A server that may write a folder could put a symbolic link in the place of a path that its entry
 * names, and have what the link points to at its next start.
 */
function refusePlantedLink(path: string, within: readonly { readonly path: string }[]): void {
  for (let part = path; part !== dirname(part); part = dirname(part)) {
    const isLink = existsSync(part) && lstatSync(part).isSymbolicLink()
    if (isLink && within.some((grant) => grant.path !== part && isInside(part, grant.path)))
      throw new NoSandbox(
        `its sandbox names ${path}, and ${part} is a symbolic link that the server could have made`,
        `Name what it points to in "sandbox", if that is meant: ${resolveLinks(part)}`,
      )
  }
}

/** The folders of sockets of gateways that have no place in a data folder. */
function runFolders(): string[] {
  const folders = [tmpdir(), process.env['XDG_RUNTIME_DIR'] ?? '']
  return folders.filter(existsSync).flatMap((folder) =>
    readdirSync(folder)
      .filter((name) => /^portolan-\d+-/.test(name))
      .map((name) => join(folder, name)),
  )
}
