import { moduleFile } from '../../base/files/package-files.ts'
import { VERSION } from '../../base/version.ts'
import type { Endpoint } from './client.ts'
import type { Machine } from './machine.ts'

export interface Launch {
  readonly command: string
  readonly args: readonly string[]
}

/**
 * Returns how other programs start this Portolan. They may have another folder and PATH, so paths
 * are absolute. Under npx, whose cache may be deleted, the command is npx itself.
 */
export function launchOf({ platform }: Pick<Machine, 'platform'>): Launch {
  const main = mainFile()
  if (/[\\/]_npx[\\/]/.test(main)) {
    const args = ['-y', `portolan@${VERSION}`]
    return platform === 'win32'
      ? { command: 'cmd', args: ['/c', 'npx', ...args] }
      : { command: 'npx', args }
  }
  // The child needs the same loaders if Portolan runs from source.
  return { command: process.execPath, args: [...process.execArgv, main] }
}

/**
 * A gateway that each client starts for itself. It names no folder: a session uses the files of the
 * project the client works in when the session starts.
 */
export function stdioEndpoint(machine: Machine, key?: string): Endpoint {
  const home = machine.env['PORTOLAN_HOME']
  return { kind: 'stdio', key, ...launchOf(machine), env: home ? { PORTOLAN_HOME: home } : {} }
}

/** Returns the launch command as one line for a shell. */
export function shellCommand(machine: Pick<Machine, 'platform'>): string {
  const { command, args } = launchOf(machine)
  return [command, ...args]
    .map((word) => (/[^\w@./:\\-]/.test(word) ? `"${word}"` : word))
    .join(' ')
}

/** Returns Portolan's entry point: the built file, or the source if Portolan runs from source. */
function mainFile(): string {
  return moduleFile('cli/main')
}
