import { execFile } from 'node:child_process'
import { access, mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** The suite needs Node 22, so it brings one; what it tests runs on the Node we support. */
export const PACKAGES = { '@modelcontextprotocol/conformance': '0.2.0-alpha.12', node: '22.23.3' }

export interface Suite {
  readonly node: string
  readonly program: string
}

/** The official suite from npm, installed once into a cache outside the repository. */
export async function installSuite(): Promise<Suite> {
  const cache = process.env['XDG_CACHE_HOME'] ?? tmpdir()
  const versions = Object.values(PACKAGES).join('-')
  const folder = join(cache, `portolan-conformance-${versions}`)
  const suite = {
    node: join(folder, 'node_modules/node/bin/node'),
    program: join(folder, 'node_modules/@modelcontextprotocol/conformance/dist/index.js'),
  }
  if (await exists(suite)) return suite
  await mkdir(cache, { recursive: true })
  const fresh = await mkdtemp(join(cache, 'portolan-conformance-new-'))
  await writeFile(join(fresh, 'package.json'), JSON.stringify({ dependencies: PACKAGES }))
  // npm would run Node's own installer only when scripts are allowed, and it must run here.
  const args = ['install', '--no-audit', '--no-fund', '--no-package-lock', '--ignore-scripts=false']
  await run('npm', args, { cwd: fresh, timeout: 240_000 }).catch((cause: unknown) => {
    throw new Error(`Cannot install the conformance suite from npm into ${fresh}`, { cause })
  })
  // Renamed into place whole: two test runs may install at the same time.
  await rename(fresh, folder).catch(async () => rm(fresh, { recursive: true, force: true }))
  if (!(await exists(suite))) throw new Error(`The conformance suite in ${folder} is incomplete`)
  return suite
}

async function exists({ node, program }: Suite): Promise<boolean> {
  const found = await Promise.allSettled([access(node), access(program)])
  return found.every(({ status }) => status === 'fulfilled')
}
