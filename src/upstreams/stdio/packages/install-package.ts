import { createHash } from 'node:crypto'
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Environment } from '../../../base/environment.ts'
import { isObject } from '../../../base/json/json.ts'
import type { LockedPackage } from '../../../gateway/tools/locked-package.ts'
import { homeOf } from '../bubblewrap/program-places.ts'
import { PackageError } from './package-error.ts'
import { differenceFrom, fromPackageLock, toPackageLock } from './package-lock.ts'
import type { Draft, PackageStore, WantedPackage } from './package-store.ts'
import { runNpm } from './run-npm.ts'

export interface Installation {
  readonly store: PackageStore
  /** The name of the server, for the next step of an error. */
  readonly server: string
  /** The `npx` of the entry. */
  readonly npx: string
  readonly env: Environment
}

const LOCK = 'package-lock.json'

/** Finds out which version a name stands for now, with all its dependencies. Installs nothing. */
export async function resolvePackage(
  { name, spec }: WantedPackage,
  { store, npx, env }: Installation,
): Promise<LockedPackage> {
  return store.draft(async ({ folder, cacheFolder }) => {
    writeJson(join(folder, 'package.json'), { private: true })
    const args = ['install', '--package-lock-only', '--ignore-scripts', `${name}@${spec}`]
    const said = await runNpm(args, { folder, cacheFolder, npx, env })
    const lock = readJson(join(folder, LOCK))
    if (lock === undefined) throw notInstalled(`${name}@${spec}`, said)
    return fromPackageLock(lock, name)
  })
}

/** Returns what npx has installed for a name before: people go on with the version that they have. */
export function installedByNpx(
  { name, spec }: WantedPackage,
  env: Environment,
): LockedPackage | undefined {
  const words = spec === 'latest' ? [name, `${name}@latest`] : [`${name}@${spec}`]
  for (const word of words) {
    const hash = createHash('sha512').update(word).digest('hex').slice(0, 16)
    const lock = readJson(join(homeOf(env), '.npm', '_npx', hash, LOCK))
    try {
      if (lock !== undefined) return fromPackageLock(lock, name)
    } catch {
      // It is not complete, or of another format.
    }
  }
  return undefined
}

/** Installs a package exactly as it is locked; throws if the registry has another one. */
export async function installPackage(
  locked: LockedPackage,
  installation: Installation,
): Promise<void> {
  await installation.store.install(locked, async (draft) => fill(draft, locked, installation))
}

async function fill(
  { folder, cacheFolder }: Draft,
  locked: LockedPackage,
  { server, npx, env }: Installation,
): Promise<void> {
  const { manifest, lock } = toPackageLock(locked)
  writeJson(join(folder, 'package.json'), manifest)
  writeJson(join(folder, LOCK), lock)
  const run = { folder, cacheFolder, npx, env }
  const hidden = join(folder, 'node_modules', '.package-lock.json')
  const install = ['ci', '--ignore-scripts']
  let said = await runNpm([...install, '--prefer-offline'], run)
  // What npm keeps in its cache may be older than this version, or damaged: only the registry counts.
  if (OF_CACHE.test(said)) said = await runNpm([...install, '--cache', `${cacheFolder}/npm`], run)
  const what = `${locked.name}@${locked.version}`
  const different = `What the registry has as ${what} is not what was locked`
  const nextStep = `Find out why before you use it. To accept what the registry has now: portolan server upgrade ${server}`
  if (/\bEINTEGRITY\b/.test(said))
    throw new PackageError(
      `${different}: ${lastLine(said, /checksum|integrity.*wanted/i)}`,
      nextStep,
    )
  const installed = readJson(hidden)
  if (installed === undefined) throw notInstalled(what, said)
  const path = differenceFrom(locked, installed)
  if (path !== undefined) throw new PackageError(`${different}: ${path}`, nextStep)
  // They are run in a second step, without settings of npm, and only where a package has some.
  if (!hasScripts(folder, locked)) return
  // Without it, npm reads which packages have scripts.
  rmSync(hidden)
  await runNpm(['rebuild'], run)
}

const OF_CACHE = /\b(?:ETARGET|EINTEGRITY|ENOENT|TAR_\w+)\b/
const SCRIPTS = ['preinstall', 'install', 'postinstall']

function hasScripts(folder: string, { name, dependencies = {} }: LockedPackage): boolean {
  return [`node_modules/${name}`, ...Object.keys(dependencies)].some((path) => {
    const manifest = readJson(join(folder, path, 'package.json'))
    const scripts = isObject(manifest) ? manifest['scripts'] : undefined
    return (
      (isObject(scripts) && SCRIPTS.some((script) => script in scripts)) ||
      existsSync(join(folder, path, 'binding.gyp'))
    )
  })
}

function notInstalled(what: string, said: string): PackageError {
  return new PackageError(
    `npm could not install ${what}: ${lastLine(said, /^npm error (?!code|A complete log)/)}`,
    `See what npm says: npm view ${what}`,
  )
}

function lastLine(said: string, wanted: RegExp): string {
  const lines = said.split('\n').map((line) => line.trim())
  const line = lines.find((one) => wanted.test(one)) ?? lines.at(-1) ?? ''
  return line.replace(/^npm error /, '').slice(0, 300)
}

function writeJson(path: string, content: unknown): void {
  writeFileSync(path, JSON.stringify(content))
}

function readJson(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, 'utf8'))
  } catch {
    return undefined
  }
}
