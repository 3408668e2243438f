import { existsSync, readFileSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { Client } from '@modelcontextprotocol/client'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { parseDocument } from '../docs/document.ts'
import { followDocument } from '../docs/follow-document.ts'
import { CONTAINED } from '../../scripts/contained.ts'
import { freePort } from '../support/free-port.ts'
import { type Ended, runProgram } from '../support/run-program.ts'
import { type TempFolder, tempFolder } from '../support/temp-folder.ts'

const ROOT = join(import.meta.dirname, '../..')
const { version }: { version: string } = JSON.parse(
  readFileSync(join(ROOT, 'package.json'), 'utf8'),
)
const OTHER_NODES = ['22', '24']

let folder: TempFolder
let tarball: string
const leave: (() => void | Promise<void>)[] = []

async function npm(args: readonly string[], cwd: string): Promise<Ended> {
  const ended = await runProgram('npm', args, { cwd, env: process.env })
  if (ended.code !== 0) throw new Error(`npm ${args.join(' ')} failed:\n${ended.stderr}`)
  return ended
}

const QUIET = [
  '--no-audit',
  '--no-fund',
  '--prefer-offline',
  '--ignore-scripts',
  '--loglevel=error',
]

// Packed as it was built, and installed where nothing else is; without scripts, so that nothing could compile.
beforeAll(async () => {
  folder = tempFolder((undo) => void leave.push(undo))
  await npm(['run', '--silent', 'shrinkwrap'], ROOT)
  try {
    await npm(['pack', '--ignore-scripts', '--pack-destination', folder.path], ROOT)
  } finally {
    rmSync(join(ROOT, 'npm-shrinkwrap.json'), { force: true })
  }
  tarball = folder.file(`portolan-${version}.tgz`)
  folder.write('app/package.json', '{"private": true}')
  await npm(['install', ...QUIET, tarball], folder.file('app'))
})

afterAll(async () => {
  for (const undo of leave) await undo()
})

/** Runs the installed command in an empty folder of its own, which is also its home. */
async function portolan(at: TempFolder, args: readonly string[], node = process.execPath) {
  const main = folder.file('app/node_modules/portolan/dist/cli/main.js')
  return runProgram(node, [main, ...args], {
    cwd: at.path,
    env: { PATH: process.env['PATH'], HOME: at.path },
  })
}

it('holds what is needed to run, and nothing else', async () => {
  const { stdout } = await runProgram('tar', ['-tzf', tarball], { cwd: ROOT, env: process.env })
  const files = stdout.trim().split('\n')
  for (const wanted of [
    'LICENSE',
    'README.md',
    'dist/index.d.ts',
    'dist/web/index.html',
    'assets/schemas/portolan.schema.json',
  ])
    expect(files).toContain(`package/${wanted}`)
  const strangers = files.filter((file) =>
    /\.test\.|\.map$|^package\/(src|test|bench)\//.test(file),
  )
  expect(strangers).toEqual([])
})

it('installs exactly the versions that were tested, also of what its dependencies need', () => {
  const manifest = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))
  const ranges = Object.entries({ ...manifest.dependencies, ...manifest.devDependencies }).filter(
    ([, wanted]) => !/^\d+\.\d+\.\d+(-[\w.]+)?$/.test(String(wanted)),
  )
  expect(ranges).toEqual([])
  const shipped = JSON.parse(
    readFileSync(folder.file('app/node_modules/portolan/npm-shrinkwrap.json'), 'utf8'),
  )
  const tested = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')).packages
  const entries = Object.entries<{ version?: string }>(shipped.packages).filter(([path]) => path)
  expect(entries.length).toBeGreaterThan(50)
  for (const [path, { version: pinned }] of entries) expect(pinned).toBe(tested[path].version)
  expect(Object.keys(shipped.packages)).not.toContain('node_modules/vitest')
  const installed = (name: string) => {
    const [own, hoisted] = ['portolan/node_modules/', ''].map((inside) =>
      folder.file(`app/node_modules/${inside}${name}/package.json`),
    )
    const file = existsSync(own ?? '') ? own : hoisted
    return JSON.parse(readFileSync(file ?? '', 'utf8')).version
  }
  expect(readdirSync(folder.file('app/node_modules')).length).toBeGreaterThan(0)
  for (const name of ['ajv', 'pg', 'pg-protocol', 'undici', 'yaml'])
    expect(installed(name)).toBe(tested[`node_modules/${name}`].version)
})

it('has nothing that publint would warn of', async () => {
  const publint = join(ROOT, 'node_modules/publint/src/cli.js')
  const linted = await runProgram(process.execPath, [publint, 'run', tarball, '--strict'], {
    cwd: ROOT,
    env: process.env,
  })
  expect({ code: linted.code, said: linted.stdout }).toMatchObject({
    code: 0,
    said: expect.stringContaining('All good'),
  })
})

it('lists every package it is made of, with its licence, in CycloneDX', async () => {
  const { stdout } = await npm(['run', '--silent', 'sbom'], ROOT)
  const { bomFormat, components, metadata } = JSON.parse(stdout)
  expect({ bomFormat, name: metadata.component.name }).toEqual({
    bomFormat: 'CycloneDX',
    name: 'portolan',
  })
  const { dependencies } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))
  const names: string[] = components.map(({ name }: { name: string }) => name)
  const wanted = [...Object.keys(dependencies), ...CONTAINED]
  expect(wanted.filter((name) => !names.includes(name))).toEqual([])
  expect(names).not.toContain('vitest')
  const unlicensed = components.filter(
    ({ licenses }: { licenses?: unknown[] }) => !licenses?.length,
  )
  expect(unlicensed).toEqual([])
})

it('shows its tour from the package', async () => {
  const at = tempFolder()
  const { code, stdout, stderr } = await portolan(at, ['demo', '--fast'])
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  expect(stdout).toContain('8. Searching code')
})

it.each(OTHER_NODES)('shows its tour on Node %s, too', async (major) => {
  // npm has Node itself, one package for each platform.
  const platform = process.platform === 'win32' ? 'win' : process.platform
  const name = `node-${platform}-${process.arch}`
  folder.write(`node${major}/package.json`, '{"private": true}')
  await npm(['install', ...QUIET, '--no-save', `${name}@${major}`], folder.file(`node${major}`))
  const node = folder.file(`node${major}/node_modules/${name}/bin/node`)
  const told = await runProgram(node, ['--version'], { cwd: ROOT, env: {} })
  expect(told.stdout).toMatch(new RegExp(`^v${major}\\.`))
  const { code, stderr } = await portolan(tempFolder(), ['demo', '--json'], node)
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
})

it('has the packs that ship, with their code and data', async () => {
  const shown = await portolan(tempFolder(), [
    'api',
    'nsip',
    'search',
    '6401492020FLE249',
    '--demo',
  ])
  expect(shown).toMatchObject({ code: 0, stderr: '' })
  expect(shown.stdout).toContain('Katahdin')
})

it('runs a script from the package, also one with types', async () => {
  const at = tempFolder()
  const config = at.write('portolan.yaml', { scripts: { enabled: true } })
  const code = 'const factor: number = 7; 6 * factor'
  const ran = await portolan(at, ['call', 'run_script', `code=${code}`, '--config', config])
  expect(ran).toMatchObject({ code: 0, stdout: '{"result":42}\n' })
})

it('goes from nothing to a client with tools: init, doctor, connect', async () => {
  const at = tempFolder()
  at.write('.cursor/mcp.json', '{}')
  expect((await portolan(at, ['init', '--yes'])).code).toBe(0)
  const doctor = await portolan(at, ['doctor'])
  expect({ code: doctor.code, said: doctor.stdout }).toMatchObject({
    code: 0,
    said: expect.stringMatching(/code: \d+ tools/),
  })
  expect((await portolan(at, ['connect', 'cursor'])).code).toBe(0)
  const { command, args } = JSON.parse(at.read('.cursor/mcp.json')).mcpServers.portolan
  const client = new Client({ name: 'test', version: '1' })
  const env = { PATH: process.env['PATH'] ?? '', HOME: at.path, PORTOLAN_ALONE: '1' }
  await client.connect(new StdioClientTransport({ command, args, env, stderr: 'ignore' }))
  const { tools } = await client.listTools()
  await client.close()
  expect(tools.map(({ name }) => name)).toContain('find_tools')
  expect(existsSync(at.file('.portolan'))).toBe(true)
})

it('does what the README says, in an empty folder', { timeout: 180_000 }, async () => {
  const main = folder.file('app/node_modules/portolan/dist/cli/main.js')
  const text = readFileSync(join(ROOT, 'README.md'), 'utf8')
  const unexplained = parseDocument(text).unrun.filter(({ reason }) => reason === undefined)
  expect(unexplained).toEqual([])
  const { wrong } = await followDocument(text, { main, port: await freePort() })
  expect(wrong).toEqual([])
})
