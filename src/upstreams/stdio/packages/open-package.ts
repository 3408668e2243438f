import { closeSync, existsSync, openSync, readFileSync, readSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { messageOf } from '../../../base/errors.ts'
import { findProgram } from '../../../base/files/find-program.ts'
import { isInside } from '../../../base/files/paths.ts'
import { isObject } from '../../../base/json/json.ts'
import type { LockedPackage } from '../../../gateway/tools/locked-package.ts'
import { homeOf } from '../bubblewrap/program-places.ts'
import type { ChildOptions } from '../child.ts'
import { installPackage, installedByNpx, resolvePackage } from './install-package.ts'
import { PackageError } from './package-error.ts'
import { PackageStore, type WantedPackage } from './package-store.ts'

export interface PackageRequest {
  readonly server: string
  readonly wanted: WantedPackage & {
    /** Of several programs of the package, the one to start. */
    readonly program?: string | undefined
    readonly args: readonly string[]
  }
  /** What `mcp.lock` says that it is. */
  readonly locked: LockedPackage | undefined
  readonly program: ChildOptions
  /** The data folder. */
  readonly home: string
  readonly log: (line: string, advice?: string) => void
}

export interface OpenedPackage {
  readonly program: ChildOptions
  readonly packageFolder: string
}

/** Installations that go on, also when nobody waits for them any more. */
const underWay = new Map<string, Promise<unknown>>()

async function once<Value>(key: string, work: () => Promise<Value>): Promise<Value> {
  const known = underWay.get(key)
  // All under one key return the same.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  if (known) return known as Promise<Value>
  const working = work().finally(() => underWay.delete(key))
  underWay.set(key, working)
  return working
}

/**
 * Returns the program of a package, installed as it is locked: by `mcp.lock`, or by what its name
 * stood for when it was first used. Undefined if the entry is to be started as it is.
 */
export async function openPackage(request: PackageRequest): Promise<OpenedPackage | undefined> {
  const { wanted, home, log, program, server } = request
  const store = new PackageStore(home)
  const env = program.inherits ?? process.env
  const installation = { store, server, npx: program.command, env }
  const { name, spec } = wanted
  const ensure = async (locked: LockedPackage) =>
    once(store.folderOf(locked), async () => {
      const { ok, changed } = await store.check(locked)
      if (ok) return
      if (changed !== undefined)
        log(
          `Files of ${name} were changed since it was installed: ${changed}. It is installed again.`,
          `What was changed is in ${store.asideOf(locked)}`,
        )
      log(`npm installs ${name}@${locked.version} once; the next starts need no npm.`)
      await installPackage(locked, installation)
    })
  const known = request.locked ?? store.pinOf(wanted)
  if (known) {
    await ensure(known)
    return toOpened(known, request, store)
  }
  if (whyAsItIs(wanted, program) !== undefined) return undefined
  try {
    const locked = await once(`${home} ${name}@${spec}`, async () => {
      const found = installedByNpx(wanted, env) ?? (await resolvePackage(wanted, installation))
      await ensure(found)
      return store.pin(wanted, found)
    })
    await ensure(locked)
    return toOpened(locked, request, store)
  } catch (error) {
    log(`${name} is not pinned: ${messageOf(error)}. It starts with npx, as its entry says.`)
    return undefined
  }
}

/** Packages that keep data in their own folder, unless this variable names another place. */
const KEEPS_DATA: Readonly<Record<string, string>> = {
  '@modelcontextprotocol/server-memory': 'MEMORY_FILE_PATH',
}

/** Returns why npx would start something else than what the registry has under this name. */
export function whyAsItIs(
  { name }: WantedPackage,
  { command, env, cwd, inherits }: ChildOptions,
): string | undefined {
  const own = inherits ?? process.env
  const option = Object.keys(env).find((key) => /^npm_config_/i.test(key))
  if (option !== undefined) return `its entry sets ${option}`
  const data = KEEPS_DATA[name]
  if (data !== undefined && !(data in env))
    return `it keeps its data in its package, as its entry has no ${data}`
  const global = join(dirname(findProgram(command, own) ?? command), '..', 'lib')
  if (existsSync(join(global, 'node_modules', name))) return 'it is installed globally'
  for (let folder = cwd ?? process.cwd(); ; folder = dirname(folder)) {
    const why = whyOfFolder(folder, name, homeOf(own))
    if (why !== undefined || folder === dirname(folder)) return why
  }
}

/** The settings of npm in the home folder apply anyway. */
function whyOfFolder(folder: string, name: string, home: string): string | undefined {
  const modules = join(folder, 'node_modules')
  if (existsSync(join(modules, name)) || existsSync(join(modules, '.bin', basename(name))))
    return `${folder} has it installed`
  const settings = join(folder, '.npmrc')
  return folder !== home && namesRegistry(settings) ? `${settings} names a registry` : undefined
}

function namesRegistry(file: string): boolean {
  try {
    return /registry\s*=/.test(readFileSync(file, 'utf8'))
  } catch {
    return false
  }
}

function toOpened(
  locked: LockedPackage,
  { wanted, program }: PackageRequest,
  store: PackageStore,
): OpenedPackage {
  const packageFolder = store.folderOf(locked)
  const file = programOf(join(packageFolder, 'node_modules', locked.name), wanted.program)
  const start = startOf(file)
  const args = [...start.args, ...wanted.args]
  return { program: { ...program, command: start.command, args }, packageFolder }
}

/** Returns the program that npx would choose of a package. */
function programOf(folder: string, wanted: string | undefined): string {
  const manifest: unknown = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  const [name, bin] = isObject(manifest) ? [String(manifest['name']), manifest['bin']] : ['', '']
  const own = name.replace(/^@[^/]+\//, '')
  const all: Record<string, unknown> = isObject(bin) ? bin : { [own]: bin }
  const [first, ...others] = new Set(Object.values(all))
  const path = wanted === undefined ? (others.length === 0 ? first : all[own]) : all[wanted]
  const file = typeof path === 'string' ? join(folder, path) : undefined
  if (file === undefined || !isInside(file, folder))
    throw new PackageError(
      `${name} has no program ${wanted ?? own}`,
      `It has ${Object.keys(all).join(', ') || 'none'}: npx -p ${name} <program>`,
    )
  return file
}

/** Returns how a program is started: by the Node.js on the PATH, with the options in its first line. */
function startOf(file: string): { readonly command: string; readonly args: readonly string[] } {
  const [line = ''] = firstBytes(file).split('\n')
  const words = line.startsWith('#!') ? line.slice(2).trim().split(/\s+/) : []
  const at = words.findIndex((word) => basename(word) === 'node')
  const isOther = at === -1 && (words.length > 0 || !/\.[cm]?js$/.test(file))
  return isOther
    ? { command: file, args: [] }
    : { command: 'node', args: [...(at === -1 ? [] : words.slice(at + 1)), file] }
}

function firstBytes(file: string): string {
  const descriptor = openSync(file, 'r')
  try {
    const bytes = Buffer.alloc(200)
    return bytes.toString('utf8', 0, readSync(descriptor, bytes, 0, bytes.length, 0))
  } finally {
    closeSync(descriptor)
  }
}
