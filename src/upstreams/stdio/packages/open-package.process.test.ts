import { execFile, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { needBubblewrap } from '../../../../test/support/bubblewrap.ts'
import {
  type NpmRegistry,
  packagedServer,
  startRegistry,
} from '../../../../test/support/npm-registry.ts'
import { folderWithDisk } from '../../../../test/support/small-disk.ts'
import { type TempFolder, tempFolder } from '../../../../test/support/temp-folder.ts'
import type { LockedPackage } from '../../../gateway/tools/locked-package.ts'
import { type PackageRequest, openPackage } from './open-package.ts'
import { PackageStore } from './package-store.ts'

beforeAll(needBubblewrap)

interface Place {
  readonly folder: TempFolder
  readonly registry: NpmRegistry
  readonly lines: string[]
  open(
    more?: Partial<PackageRequest>,
    open?: typeof openPackage,
  ): Promise<Awaited<ReturnType<typeof openPackage>>>
  readonly store: PackageStore
}

const WANTED = { name: 'pages-mcp', spec: 'latest', args: ['--fast'] }

/** A person's machine with a registry, on which `pages-mcp` depends on `words`. */
async function onMachine(): Promise<Place> {
  const registry = await startRegistry()
  onTestFinished(async () => registry[Symbol.asyncDispose]())
  registry.publish('words', '1.0.0', { files: { 'tools.json': '["count_words"]' } })
  const dependencies = { words: '^1.0.0' }
  registry.publish('pages-mcp', '1.0.0', packagedServer(['read_page'], { dependencies }))
  const folder = tempFolder()
  folder.write('.npmrc', registry.npmrc)
  mkdirSync(folder.file('work'))
  const home = folder.file('data')
  const lines: string[] = []
  const inherits = { PATH: process.env['PATH'], HOME: folder.path }
  return {
    folder,
    registry,
    lines,
    store: new PackageStore(home),
    open: async (more, open = openPackage) =>
      open({
        server: 'pages',
        wanted: WANTED,
        locked: undefined,
        program: {
          command: 'npx',
          args: ['-y', 'pages-mcp', '--fast'],
          env: {},
          cwd: folder.file('work'),
          inherits,
        },
        home,
        log: (line, advice) => void lines.push([line, advice].filter(Boolean).join(' → ')),
        ...more,
      }),
  }
}

/** Asks a program which tools it has. */
function toolsOf(opened: Awaited<ReturnType<typeof openPackage>>): string[] {
  if (!opened) throw new Error('the entry is started as it is')
  const { command, args } = opened.program
  const input = `${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' })}\n`
  const said: unknown = JSON.parse(execFileSync(command, [...args], { input, encoding: 'utf8' }))
  return [...JSON.stringify(said).matchAll(/"name":"(\w+)"/g)].map(([, name = '']) => name)
}

function lockedIn({ store }: Place): LockedPackage {
  const locked = store.pinOf(WANTED)
  if (!locked) throw new Error('nothing is pinned')
  return locked
}

describe('a package that npx would start', () => {
  it('is installed once, and starts from there without npx and without the registry', async () => {
    const place = await onMachine()
    const first = await place.open()
    expect(first?.program.args.slice(-1)).toEqual(['--fast'])
    expect(toolsOf(first)).toEqual(['read_page', 'count_words'])
    const asked = place.registry.seen.length
    await place.registry[Symbol.asyncDispose]()
    expect(toolsOf(await place.open())).toEqual(['read_page', 'count_words'])
    expect(place.registry.seen.length).toBe(asked)
  })

  it('stays what it was when the registry has a new version, or a dependency has', async () => {
    const place = await onMachine()
    await place.open()
    place.registry.publish('pages-mcp', '2.0.0', packagedServer(['delete_page']))
    place.registry.publish('words', '1.1.0', { files: { 'tools.json': '["send_words"]' } })
    expect(toolsOf(await place.open())).toEqual(['read_page', 'count_words'])
    const exact = await place.open({ wanted: { ...WANTED, spec: '2.0.0' } })
    expect(toolsOf(exact)).toEqual(['delete_page'])
    // A second machine with the same lock gets the same, dependencies as well.
    const other = await onMachine()
    other.registry.publish('pages-mcp', '2.0.0', packagedServer(['delete_page']))
    other.registry.publish('words', '1.1.0', { files: { 'tools.json': '["send_words"]' } })
    const opened = await other.open({ locked: lockedIn(place) })
    expect(toolsOf(opened)).toEqual(['read_page', 'count_words'])
  })

  it('does not start where the registry has another archive than the one that was locked', async () => {
    const place = await onMachine()
    await place.open()
    const locked = lockedIn(place)
    for (const name of ['pages-mcp', 'words'] as const) {
      const other = await onMachine()
      const evil = packagedServer(['read_page', 'steal'], { dependencies: { words: '^1.0.0' } })
      if (name === 'words') other.registry.publish('words', '1.0.0', evil)
      else other.registry.publish('pages-mcp', '1.0.0', evil)
      await expect(other.open({ locked })).rejects.toMatchObject({
        message: expect.stringContaining('pages-mcp@1.0.0 is not what was locked'),
        nextStep: expect.stringContaining('portolan server upgrade pages'),
      })
      expect(readdirSync(other.folder.file('data/packages'))).toEqual(['drafts'])
      expect(readdirSync(other.folder.file('data/packages/drafts'))).toEqual([])
    }
  })

  it('is installed again, and says so, where one of its files was changed', async () => {
    const place = await onMachine()
    const folder = (await place.open())?.packageFolder ?? ''
    const server = join(folder, 'node_modules/pages-mcp/server.mjs')
    const changes: Record<string, () => void> = {
      'node_modules/pages-mcp/server.mjs': () => {
        chmodSync(server, 0o644)
        writeFileSync(server, 'throw new Error("changed")')
      },
      'node_modules/words/tools.json': () => {
        const path = join(folder, 'node_modules/words/tools.json')
        place.folder.write('elsewhere.json', '["steal"]')
        chmodSync(dirname(path), 0o755)
        rmSync(path)
        symlinkSync(place.folder.file('elsewhere.json'), path)
      },
      'node_modules/pages-mcp/node_modules': () => {
        chmodSync(dirname(server), 0o755)
        mkdirSync(join(dirname(server), 'node_modules/words'), { recursive: true })
        writeFileSync(join(dirname(server), 'node_modules/words/tools.json'), '["steal"]')
      },
    }
    for (const [name, change] of Object.entries(changes)) {
      change()
      expect(toolsOf(await place.open())).toEqual(['read_page', 'count_words'])
      expect(place.lines.join('\n')).toContain(`were changed since it was installed: ${name}`)
    }
    expect(place.lines.join('\n')).toContain('What was changed is in')
  })

  it('goes on in a copy of the data folder without being installed again', async () => {
    const place = await onMachine()
    await place.open()
    const copy = tempFolder()
    execFileSync('cp', ['-r', place.folder.file('data'), copy.file('data')])
    await place.registry[Symbol.asyncDispose]()
    const opened = await place.open({ home: copy.file('data') })
    expect(toolsOf(opened)).toEqual(['read_page', 'count_words'])
  })

  it('has one winner where several gateways install it at once', async () => {
    const place = await onMachine()
    const opening = [1, 2, 3].map(async (round) => {
      // Each has its own copy of the module, as each process has.
      vi.resetModules()
      const { openPackage: open } = await import('./open-package.ts')
      if (round === 2) place.registry.publish('pages-mcp', '1.0.1', packagedServer(['new_page']))
      return (await place.open({}, open))?.packageFolder
    })
    const locked = await Promise.all(opening)
    expect(new Set(locked).size).toBe(1)
    expect(toolsOf(await place.open()).length).toBeGreaterThan(0)
    expect(readdirSync(place.folder.file('data/packages/drafts'))).toEqual([])
  })

  it('leaves nothing half-installed on a full disk', async (test) => {
    const place = await onMachine()
    const small = folderWithDisk('16k')
    if (!small) return test.skip('this user may mount no disk')
    const home = small.file('data')
    expect(await place.open({ home })).toBeUndefined()
    expect(place.lines.at(-1)).toMatch(/^pages-mcp is not pinned: .*It starts with npx/)
    const left = readdirSync(home, { recursive: true, encoding: 'utf8' })
    expect(left.filter((name) => /@|drafts./.test(name))).toEqual([])
  })

  it('is installed by the next gateway where the first is killed meanwhile', async () => {
    const place = await onMachine()
    const asked = new Promise<void>((resolve) => {
      place.registry.delay = async (path) => {
        if (!path.endsWith('.tgz')) return
        resolve()
        await new Promise(() => {})
      }
    })
    const script = `
      import { openPackage } from ${JSON.stringify(join(import.meta.dirname, 'open-package.ts'))}
      await openPackage({ ...JSON.parse(process.argv[1]), log() {} })`
    const { folder } = place
    const request = {
      server: 'pages',
      wanted: WANTED,
      home: folder.file('data'),
      program: { command: 'npx', args: [], env: {}, cwd: folder.file('work') },
    }
    const loader = join(import.meta.dirname, '../../../../bench/strip-types/register.mjs')
    const gateway = spawn(
      process.execPath,
      ['--import', loader, '--input-type=module', '-e', script, JSON.stringify(request)],
      { env: { PATH: process.env['PATH'], HOME: folder.path }, stdio: 'inherit' },
    )
    await asked
    gateway.kill('SIGKILL')
    delete place.registry.delay
    expect(toolsOf(await place.open())).toEqual(['read_page', 'count_words'])
  })

  it('starts as its entry says where npx would start something else, or npm fails', async () => {
    const place = await onMachine()
    const work = place.folder.file('work')
    place.folder.write('work/.npmrc', 'registry=http://127.0.0.1:9/')
    expect(await place.open()).toBeUndefined()
    rmSync(join(work, '.npmrc'))
    mkdirSync(join(work, 'node_modules/pages-mcp'), { recursive: true })
    expect(await place.open()).toBeUndefined()
    rmSync(join(work, 'node_modules'), { recursive: true })
    expect(await place.open({ wanted: { ...WANTED, name: 'no-such-package' } })).toBeUndefined()
    expect(place.lines.at(-1)).toMatch(
      /^no-such-package is not pinned: npm could not install .*404/,
    )
    // What is pinned does not change by what a folder has.
    await place.open()
    mkdirSync(join(work, 'node_modules/pages-mcp'), { recursive: true })
    place.folder.write('work/.npmrc', 'registry=http://127.0.0.1:9/')
    expect(toolsOf(await place.open())).toEqual(['read_page', 'count_words'])
  })

  it('starts in the version that npx has installed before', async () => {
    const place = await onMachine()
    const env = { PATH: process.env['PATH'], HOME: place.folder.path }
    const input = '{"method":"notifications/initialized"}\n'
    const cwd = place.folder.file('work')
    const npx = execFile('npx', ['-y', 'pages-mcp'], { env, cwd, timeout: 60_000 })
    npx.stdin?.end(input)
    await once(npx, 'exit')
    place.registry.publish('pages-mcp', '2.0.0', packagedServer(['delete_page']))
    expect(toolsOf(await place.open())).toEqual(['read_page', 'count_words'])
  })

  it('runs install scripts only within its folder, and only where there are some', async () => {
    const place = await onMachine()
    const outside = place.folder.file('outside.txt')
    const install = `node -e "const fs=require('fs');fs.writeFileSync('built.json','[\\"built\\"]');try{fs.writeFileSync('${outside}','x')}catch{};try{fs.writeFileSync('seen.txt',fs.readFileSync('${place.folder.file('.npmrc')}'))}catch{}"`
    place.registry.publish(
      'pages-mcp',
      '1.0.1',
      packagedServer(['read_page'], { scripts: { install } }),
    )
    const folder = (await place.open())?.packageFolder ?? ''
    const own = join(folder, 'node_modules/pages-mcp')
    expect(readFileSync(join(own, 'built.json'), 'utf8')).toContain('built')
    expect(existsSync(outside)).toBe(false)
    expect(existsSync(join(own, 'seen.txt'))).toBe(false)
  })
})
