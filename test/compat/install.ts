import { execFile } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { isObject } from '../../src/base/json/json.ts'
import type { Published } from './servers.ts'

const run = promisify(execFile)

/** Outside of the repository, so that a checkout more does not cost an install more. */
const CACHE =
  process.env['PORTOLAN_COMPAT_CACHE'] ??
  join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'portolan-compat')

/** The program of a published server, installed once without its install scripts. */
export async function install({ name, version }: Published): Promise<string> {
  const folder = join(CACHE, `${name.replace('/', '+')}@${version}`)
  if (!existsSync(join(folder, 'node_modules'))) {
    const draft = `${folder}.${process.pid}`
    mkdirSync(draft, { recursive: true })
    writeFileSync(join(draft, 'package.json'), '{"private":true}')
    const flags = ['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error']
    await run('npm', ['install', '--prefix', draft, ...flags, `${name}@${version}`])
    rmSync(folder, { recursive: true, force: true })
    renameSync(draft, folder)
  }
  return programOf(join(folder, 'node_modules', name))
}

/** The first program that a package offers. */
export function programOf(folder: string): string {
  const manifest: unknown = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  const bin = isObject(manifest) ? manifest['bin'] : undefined
  const path = isObject(bin) ? Object.values(bin)[0] : bin
  if (typeof path !== 'string') throw new Error(`${folder} offers no program`)
  return join(folder, path)
}
