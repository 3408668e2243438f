import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { pathToFileURL } from 'node:url'
import { expect, it } from 'vitest'
import { MAIN, gatewayEnv } from './support/gateway.ts'
import { sharedHome } from './support/shared-home.ts'
import { stdioUpstream } from './support/start.ts'
import { tempFolder } from './support/temp-folder.ts'

const ROOT = join(import.meta.dirname, '..')

interface Loaded {
  /** Paths below src/. */
  readonly ours: readonly string[]
  readonly packages: readonly string[]
}

/** What a process has loaded by its first line. */
async function loadedBy(args: readonly string[]): Promise<Loaded> {
  const folder = tempFolder()
  folder.write('.mcp.json', { mcpServers: { one: stdioUpstream() } })
  const list = folder.file('modules.txt')
  const imports = [import.meta.resolve('tsx'), join(ROOT, 'test/support/list-modules.mjs')]
  const child = spawn(
    process.execPath,
    [...imports.flatMap((each) => ['--import', each]), join(ROOT, 'src/cli/main.ts'), ...args],
    {
      cwd: folder.path,
      env: gatewayEnv(folder, { MODULES_TO: list }),
      stdio: ['ignore', 'ignore', 'pipe'],
    },
  )
  await once(createInterface({ input: child.stderr }), 'line')
  child.kill('SIGKILL')
  const urls = readFileSync(list, 'utf8').trim().split('\n')
  const named = (pattern: RegExp) => urls.flatMap((url) => pattern.exec(url)?.[1] ?? [])
  const packages = new Set(named(/.*\/node_modules\/((?:@[^/]+\/)?[^/]+)/))
  return {
    ours: named(/\/src\/(.*)$/),
    packages: [...packages].filter((name) => !LOADER.has(name)),
  }
}

/** Of tsx, which compiles the sources for this test. */
const LOADER = new Set(['tsx', 'get-tsconfig', 'esbuild'])

/** Where only those go that have configured it. */
const OPTIONAL =
  /^(replicas|storage|jobs|sandbox\/(?!limits\.ts)|builtins\/\w+\/(?!index\.ts|settings\.ts|cocosearch-names\.ts|define-builtin\.ts)|dashboard\/routes|search\/(embed|vector|code)|upstreams\/openapi\/load|telemetry\/(otlp\/open|audit\/export))/

it('serves without loading what is not configured', async () => {
  const { ours, packages } = await loadedBy(['serve', '--port', '0'])
  expect(ours).toContain('gateway/gateway.ts')
  expect(ours.filter((path) => OPTIONAL.test(path))).toEqual([])
  expect(packages.toSorted()).toEqual(['commander', 'lru-cache', 'zod'])
})

it('searches code without the gateway, its schemas or another command', async () => {
  const { ours, packages } = await loadedBy(['code', 'search', 'anything'])
  expect(ours).toContain('builtins/code/tools/search/answer-search.ts')
  expect(ours.filter((path) => /^(app|fronts|surfaces|storage)\//.test(path))).toEqual([])
  // jsonc-parser reads tsconfig.json, whose paths the dependencies of a hit follow.
  expect(packages).toEqual(['commander', 'lru-cache', 'jsonc-parser'])
})

it('joins a gateway that runs by loading one file', async () => {
  const home = sharedHome({})
  await home.open()
  const list = home.file('modules.txt')
  const lister = join(ROOT, 'test/support/list-modules.mjs')
  await home.open({ env: { NODE_OPTIONS: `--import ${lister}`, MODULES_TO: list } })
  const files = home.read('modules.txt').trim().split('\n')
  const loaded = files.filter((url) => url.startsWith('file:') && !url.endsWith('list-modules.mjs'))
  expect(loaded).toEqual([pathToFileURL(MAIN).href])
})
