import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  mkdirSync,
  readFileSync,
  readdirSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { describe, expect, it } from 'vitest'
import {
  SHOP,
  aCodeClient,
  aFolder,
  aProject,
  anIndexedShop,
  resultsOf,
} from '../../../../test/support/code-project.ts'
import { projectAt } from '../project/find-project.ts'
import { CodeLibrary } from './index/code-library.ts'
import { DEFAULT_SETTINGS } from './index/index-settings.ts'

const TSX = import.meta.resolve('tsx')
const INDEXER = join(import.meta.dirname, '../../../../test/support/index-and-save.ts')

describe('what can go wrong with files', () => {
  it('reads what is text, in whatever encoding, and reports the rest', async () => {
    const root = aProject({
      'latin1.py': Buffer.from('def caf\xe9(): pass  # latinOne Gr\xf6\xdfe\n', 'latin1'),
      'cyrillic.py': Buffer.from(
        '23 20 e2fbf7e8f1ebffe5f2 20 e1e0ebe0edf1'.replaceAll(' ', ''),
        'hex',
      ),
      'utf16.ts': Buffer.from('\uFEFFexport const utfSixteen = 1\n', 'utf16le'),
      'bom.ts': '\uFEFFexport const withMark = 1\n',
      'binary.ts': Buffer.from([0, 1, 2, 3]),
      'bundle.js': `var a=${'1+'.repeat(20_000)}1\n`,
      'empty.ts': '',
      'crlf.ts': 'export const one = 1\r\nexport const carriage = 2\r\n',
    })
    symlinkSync(join(root, 'nowhere.ts'), join(root, 'dangling.ts'))
    writeFileSync(join(root, 'huge.ts'), '')
    truncateSync(join(root, 'huge.ts'), 1_000_000_000)
    const client = aCodeClient(root)
    const { index_name: name, excluded } = await client.object('index_codebase', { path: '.' })
    expect(excluded).toEqual({
      total: 4,
      by_reason: { binary: 1, minified: 1, unreadable: 1, too_large: 1 },
    })
    for (const word of [
      'latinOne',
      'Größe',
      'café',
      'баланс',
      'utfSixteen',
      'withMark',
      'carriage',
    ]) {
      const found = resultsOf(await client.list('search_code', { query: word }))
      expect({ word, found: found.length }).toEqual({ word, found: 1 })
    }
    const stats = await client.object('index_stats', { index_name: name, include_failures: true })
    expect(stats['excluded']).toMatchObject({
      files: expect.arrayContaining([
        { path: 'huge.ts', reason: 'too_large', rule: '1000000000 bytes, limit 1000000' },
      ]),
    })
  })

  it('goes on when a file vanishes or turns into a folder under its hands', async () => {
    const { root, client } = await anIndexedShop()
    rmSync(join(root, 'src/price.ts'))
    mkdirSync(join(root, 'src/price.ts'))
    expect(
      resultsOf(await client.list('search_code', { query: 'shopping cart' }))[0],
    ).toMatchObject({ file_path: 'src/cart.ts' })
  })
})

describe('a damaged index', () => {
  it.each([
    ['cut off', (bytes: Buffer) => bytes.subarray(0, bytes.length / 2)],
    [
      'with a bit turned',
      (bytes: Buffer) =>
        Buffer.concat([
          bytes.subarray(0, 5_00),
          Buffer.from([bytes[500]! ^ 1]),
          bytes.subarray(501),
        ]),
    ],
    ['emptied', () => Buffer.alloc(0)],
    ['overwritten with something else', () => Buffer.from('hello')],
  ])('%s is built again, not served', async (_, damage) => {
    const { root, client } = await anIndexedShop()
    await client.close()
    const [name = ''] = readdirSync(join(client.home, 'code'))
    const file = join(client.home, 'code', name, 'index.bin')
    writeFileSync(file, damage(readFileSync(file)))
    const again = aCodeClient(root, { home: client.home })
    expect(resultsOf(await again.list('search_code', { query: 'totalPrice' }))[0]).toMatchObject({
      file_path: 'src/cart.ts',
    })
  })
})

describe('a process that dies', () => {
  it('leaves a whole index behind at whatever moment it is killed', async () => {
    const root = aProject(
      Object.fromEntries(
        Array.from({ length: 400 }, (_, n) => [
          `f${n}.ts`,
          `export function name${n}() {}\n`.repeat(30),
        ]),
      ),
    )
    const home = aFolder()
    for (const delayMs of [5, 60, 200]) {
      const child = spawn(process.execPath, ['--import', 'tsx', INDEXER, root, home], {
        stdio: ['ignore', 'pipe', 'inherit'],
      })
      await once(child.stdout, 'data')
      await new Promise((resolve) => setTimeout(resolve, delayMs))
      child.kill('SIGKILL')
      await once(child, 'exit')
      const library = new CodeLibrary({ home })
      const loaded = await library.store.load('killed')
      expect([undefined, 400]).toContain(loaded && [...loaded.saved.files].length)
    }
    const library = new CodeLibrary({ home })
    const { live } = await library.build(projectAt(root), 'killed', DEFAULT_SETTINGS)
    expect(live.index.files.size).toBe(400)
    expect(readdirSync(join(home, 'code/killed')).toSorted()).toEqual(['index.bin', 'summary.json'])
  }, 300_000)
})

const isRoot = process.getuid?.() === 0 && process.platform === 'linux'

describe('a full disk', () => {
  it('is reported where files can grow no further, and leaves nothing behind', async () => {
    const root = aProject({ 'a.ts': 'export function uniqueName() {}\n'.repeat(2_000) })
    const home = aFolder()
    // The limit is inherited, and so is ignoring the signal that would end the process.
    const command = 'trap "" XFSZ; ulimit -f 8; exec "$@"'
    const child = spawn(
      'bash',
      ['-c', command, 'bash', process.execPath, '--import', TSX, INDEXER, root, home],
      { stdio: ['ignore', 'ignore', 'pipe'] },
    )
    const [said, [code]] = await Promise.all([text(child.stderr), once(child, 'exit')])
    expect(said).toMatch(/The disk is full.*PORTOLAN_HOME/)
    expect(code).not.toBe(0)
    expect(readdirSync(join(home, 'code/killed'))).toEqual([])
  })

  it.skipIf(!isRoot)(
    'is reported with what to do, and nothing half-written stays behind',
    async () => {
      const home = aFolder()
      execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=40k', 'tmpfs', home])
      try {
        const root = aProject(
          Object.fromEntries(
            Array.from({ length: 100 }, (_, n) => [
              `f${n}.ts`,
              `export function uniqueName${n}() {}\n`.repeat(20),
            ]),
          ),
        )
        const client = aCodeClient(root, { home })
        expect(await client.object('index_codebase', { path: '.' })).toMatchObject({
          success: false,
          error: expect.stringMatching(/The disk is full.*PORTOLAN_HOME/),
        })
        const name = root
          .slice(root.lastIndexOf('/') + 1)
          .toLowerCase()
          .replace(/[^a-z0-9]+/g, '_')
        expect(readdirSync(join(home, 'code', name))).toEqual([])
      } finally {
        execFileSync('umount', [home])
      }
    },
  )
})

describe('many readers and writers', () => {
  it('lets two processes index the same project at once', async () => {
    const root = aProject(SHOP)
    const home = aFolder()
    const clients = Array.from({ length: 4 }, () => aCodeClient(root, { home }))
    const answers = await Promise.all(
      clients.map(async (client) => client.object('index_codebase', { path: '.' })),
    )
    expect(answers.every(({ success }) => success)).toBe(true)
    const search = clients.map(async (client) =>
      resultsOf(await client.list('search_code', { query: 'totalPrice' })),
    )
    for (const found of await Promise.all(search))
      expect(found[0]).toMatchObject({ file_path: 'src/cart.ts' })
  })
})
