import { moduleFile } from '../../base/files/package-files.ts'
import { VERSION } from '../../base/version.ts'
import type { Endpoint } from '../shared/clients/client.ts'
import type { Machine } from '../shared/clients/machine.ts'

export interface Launch {
  readonly command: string
  readonly args: readonly string[]
}

/**
 * How other programs start this very Portolan. They know neither our folder nor always our PATH, so
 * that everything is absolute; only npx's cache comes and goes, and there npx itself is named.
 */
export function launchOf({ platform }: Pick<Machine, 'platform'>): Launch {
  const main = mainFile()
  if (/[\\/]_npx[\\/]/.test(main)) {
    const args = ['-y', `portolan@${VERSION}`]
    return platform === 'win32'
      ? { command: 'cmd', args: ['/c', 'npx', ...args] }
      : { command: 'npx', args }
  }
  // Loaders that run us from source must run the child, too.
  return { command: process.execPath, args: [...process.execArgv, main] }
}

/**
 * A gateway that each client starts for itself. It names no folder: which project's files count is
 * found when a session starts, from where the client works.
 */
export function stdioEndpoint(machine: Machine, key?: string): Endpoint {
  const home = machine.env['PORTOLAN_HOME']
  return { kind: 'stdio', key, ...launchOf(machine), env: home ? { PORTOLAN_HOME: home } : {} }
}

/** The same as one line for a shell. */
export function shellCommand(machine: Pick<Machine, 'platform'>): string {
  const { command, args } = launchOf(machine)
  return [command, ...args]
    .map((word) => (/[^\w@./:\\-]/.test(word) ? `"${word}"` : word))
    .join(' ')
}

/** Our own entry point: built, or its source where that is what runs. */
function mainFile(): string {
  return moduleFile('cli/main')
}
