import { accessSync, constants, existsSync, statSync } from 'node:fs'
import { statfs } from 'node:fs/promises'
import { dirname } from 'node:path'
import { type Finding, findings, reasonOf } from './finding.ts'

const OLDEST_NODE = [20, 19] as const
const MIB = 1 << 20
const LOW_SPACE = 500 * MIB
const NO_SPACE = 50 * MIB

export function checkNode(): Finding {
  const version = process.versions.node
  const { ok, fail } = findings('node')
  const [major = 0, minor = 0] = version.split('.').map(Number)
  const [wantedMajor, wantedMinor] = OLDEST_NODE
  const isNew = major > wantedMajor || (major === wantedMajor && minor >= wantedMinor)
  if (isNew) return ok(`Node ${version}`)
  return fail(`Node ${version} is too old`, `Install Node ${OLDEST_NODE.join('.')} or newer.`)
}

/** Checks whether the data folder is writable and has space; does not create it. */
export async function checkDataFolder(home: string): Promise<Finding[]> {
  const { ok, warn, fail } = findings('data')
  const nearest = existingFolder(home)
  try {
    accessSync(nearest, constants.W_OK | constants.X_OK)
    if (!statSync(nearest).isDirectory()) throw new Error('it is not a folder')
  } catch (error) {
    const fix = `Make it writable (chmod u+rwx ${nearest}), or set PORTOLAN_HOME to another folder.`
    return [fail(`${home} cannot be written to: ${reasonOf(error)}`, fix)]
  }
  const { bavail, bsize } = await statfs(nearest)
  const free = bavail * bsize
  const room = `${Math.round(free / MIB).toLocaleString('en')} MB free`
  const fix = 'Free some space, or set PORTOLAN_HOME to a folder on another disk.'
  if (free < NO_SPACE) return [fail(`${home}: only ${room}`, fix)]
  if (free < LOW_SPACE) return [warn(`${home}: only ${room}`, fix)]
  return [ok(`${home}${existsSync(home) ? '' : ' (created when needed)'}, ${room}`)]
}

function existingFolder(path: string): string {
  return existsSync(path) || dirname(path) === path ? path : existingFolder(dirname(path))
}
