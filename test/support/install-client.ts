import { existsSync, mkdirSync, renameSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { runProgram } from './run-program.ts'

/** Installs a pinned npm package into a cache folder, once per machine; returns its program. */
export async function installClient(pinned: string, program: string): Promise<string> {
  const cache = join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'portolan-clients')
  const folder = join(cache, pinned.replaceAll(/[@/]/g, '_'))
  const path = join(folder, 'node_modules', '.bin', program)
  if (existsSync(path)) return path
  // Has another name until it is complete, so that an interrupted install is not used.
  const draft = `${folder}.${process.pid}`
  mkdirSync(draft, { recursive: true })
  const args = ['install', '--no-audit', '--no-fund', '--prefix', draft, pinned]
  const { code, stderr } = await runProgram('npm', args, { cwd: draft, env: { ...process.env } })
  if (code !== 0) throw new Error(`npm could not install ${pinned}: ${stderr}`)
  renameSync(draft, folder)
  return path
}
