import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'
import type { Environment } from '../environment.ts'

/** Returns the program that a command starts with these variables; undefined if there is none. */
export function findProgram(command: string, env: Environment): string | undefined {
  if (/[/\\]/.test(command)) return isProgram(command) ? command : undefined
  const folders = (env['PATH'] ?? '').split(delimiter).filter((folder) => folder !== '')
  return folders.map((folder) => join(folder, command)).find(isProgram)
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}
