import { mkdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { isInside } from '../../../base/files/paths.ts'
import { SYSTEM_PLACES } from './places.ts'
import type { Mount } from './sandbox.ts'

/** No process, no privilege and no device of this machine; ends with the gateway. */
export const ISOLATION = [
  ['--unshare-user', '--unshare-pid', '--unshare-ipc', '--unshare-uts', '--unshare-cgroup-try'],
  // Without it, a program of root would keep its rights in the sandbox.
  ['--cap-drop', 'ALL'],
  ['--die-with-parent'],
].flat()

export interface Surroundings {
  readonly mounts: readonly Mount[]
  readonly home: string
  readonly cwd: string
  readonly cacheFolder: string
  readonly network: 'shared' | 'none'
  /** Files in place of the system's, as `/etc/resolv.conf`. */
  readonly files?: Readonly<Record<string, string>> | undefined
}

/** Caches of package runners and programs, which stay between starts and no other server sees. */
const CACHES = ['.cache', '.npm']

/** Returns the arguments of bubblewrap up to the command, beside `ISOLATION`. */
export function toArguments(surroundings: Surroundings): string[] {
  const { mounts, home, cwd, network, files = {} } = surroundings
  const sees = (path: string) => mounts.some((mount) => isInside(path, mount.path))
  // A folder above the home folder that is not empty has the real one in it.
  const hasHome = sees(home)
  return [
    network === 'none' ? ['--unshare-net'] : [],
    SYSTEM_PLACES.flatMap((path) => ['--ro-bind-try', path, path]),
    Object.entries(files).flatMap(([path, source]) => ['--ro-bind', source, path]),
    // Root could write settings of the kernel there, which lead out of every sandbox.
    ['--proc', '/proc', '--remount-ro', '/proc'],
    ['--dev', '/dev', '--tmpfs', '/tmp', '--tmpfs', '/var/tmp', '--dir', '/run'],
    hasHome ? [] : ['--tmpfs', home, ...CACHES.flatMap((name) => toCache(name, surroundings))],
    mounts.flatMap(toArgument),
    // What a server leaves there would be gone at its next start.
    hasHome ? [] : ['--remount-ro', home],
    ['--chdir', cwd === home || sees(cwd) ? cwd : '/tmp'],
  ].flat()
}

function toCache(name: string, { mounts, home, cacheFolder }: Surroundings): string[] {
  const path = join(home, name)
  // Where the server writes, it could have made a link for the next mount to follow.
  if (mounts.some((mount) => isInside(mount.path, path))) return ['--tmpfs', path]
  const source = join(cacheFolder, name)
  try {
    mkdirSync(source, { recursive: true, mode: 0o700 })
    return ['--bind', source, path]
  } catch {
    // A full disk: the server works, and fills its cache again.
    return ['--tmpfs', path]
  }
}

function toArgument({ path, source, how }: Mount): string[] {
  if (how !== 'hide') return [how === 'write' ? '--bind' : '--ro-bind', source, path]
  return statSync(source).isDirectory()
    ? ['--tmpfs', path, '--remount-ro', path]
    : ['--ro-bind', '/dev/null', path]
}
