import { homedir } from 'node:os'
import { join } from 'node:path'
import type { Environment } from '../../base/environment.ts'

/** What determines the paths at which other programs store their files. */
export interface Machine {
  readonly platform: NodeJS.Platform
  readonly home: string
  readonly cwd: string
  readonly env: Environment
}

export function thisMachine(): Machine {
  const { env, platform } = process
  const home = (platform === 'win32' ? env['USERPROFILE'] : env['HOME']) ?? homedir()
  return { platform, home, cwd: process.cwd(), env }
}

/** The folder of app settings: `~/.config`, `~/Library/Application Support`, `%APPDATA%`. */
export function applicationData({ platform, home, env }: Machine): string {
  if (platform === 'darwin') return join(home, 'Library', 'Application Support')
  if (platform === 'win32') return env['APPDATA'] || join(home, 'AppData', 'Roaming')
  return env['XDG_CONFIG_HOME'] || join(home, '.config')
}

/** As `applicationData`, for programs that follow the XDG folders on macOS too. */
export function configFolder(machine: Machine): string {
  const { platform, home, env } = machine
  return platform === 'win32'
    ? applicationData(machine)
    : env['XDG_CONFIG_HOME'] || join(home, '.config')
}
