import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { SHOP, aFolder, aProject } from '../../../../../test/support/code-project.ts'
import { projectAt } from '../../project/find-project.ts'
import { CodeLibrary } from './code-library.ts'
import { DEFAULT_SETTINGS } from './index-settings.ts'
import type { LiveIndex } from './live-index.ts'

const libraries: CodeLibrary[] = []
afterEach(async () => {
  for (const library of libraries.splice(0)) await library.close()
})

function aLibrary(home: string = aFolder()): CodeLibrary {
  const library = new CodeLibrary({ home, background: true })
  libraries.push(library)
  return library
}

async function aServedShop(
  files: Readonly<Record<string, string>> = SHOP,
): Promise<{ root: string; live: LiveIndex; library: CodeLibrary }> {
  const root = aProject(files)
  const library = aLibrary()
  const { live } = await library.build(projectAt(root), 'shop', DEFAULT_SETTINGS)
  return { root, live, library }
}

/** So many that reading them takes longer than one slice of time. */
const many = (text: string): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Array.from({ length: 500 }, (_, n) => [
      `${n}.ts`,
      `export function ${text}${n}() {}\n`.repeat(20),
    ]),
  )

async function until(isTrue: () => boolean): Promise<void> {
  for (let n = 0; n < 400 && !isTrue(); n++) await new Promise((resolve) => setTimeout(resolve, 25))
}

const youngOnes = ({ index }: LiveIndex): number =>
  [...index.files.values()].filter(({ symbols }) => symbols[0]?.name.startsWith('young')).length

async function untilBegun(live: LiveIndex): Promise<void> {
  for (let n = 0; n < 10_000 && youngOnes(live) === 0; n++)
    await new Promise((resolve) => setImmediate(resolve))
}

describe('an index that is served', () => {
  it('hears of changes, also in folders made a moment ago', async () => {
    const { root, live } = await aServedShop()
    await live.freshen(5_000)
    writeFileSync(join(root, 'src/price.ts'), 'export const heard = 1\n')
    expect(await live.freshen(5_000)).toBe(true)
    expect(live.index.lexical.search('heard')).toHaveLength(1)
    mkdirSync(join(root, 'new/deep'), { recursive: true })
    writeFileSync(join(root, 'new/deep/file.ts'), 'export const fromTheDeep = 1\n')
    expect(await live.freshen(5_000)).toBe(true)
    expect(live.index.lexical.search('fromTheDeep')).toHaveLength(1)
  })

  it('looks only where something happened, and finds what came, changed and went there', async () => {
    const { root, live } = await aServedShop()
    for (let n = 0; n < 3; n++) await live.freshen(5_000)
    const known = live.index.files.size
    writeFileSync(join(root, 'src/price.ts'), 'export const changedPrice = 1\n')
    writeFileSync(join(root, 'src/came.ts'), 'export const cameLater = 1\n')
    expect(await live.freshen(5_000)).toBe(true)
    expect(live.index.lexical.search('changedPrice')[0]?.path).toBe('src/price.ts')
    expect(live.index.lexical.search('cameLater')[0]?.path).toBe('src/came.ts')
    expect(live.index.files.size).toBe(known + 1)
    rmSync(join(root, 'src/came.ts'))
    expect(await live.freshen(5_000)).toBe(true)
    expect(live.index.lexical.search('cameLater')).toEqual([])
    expect(live.index.files.size).toBe(known)
  })

  it('counts what it leaves out once, and no longer when it is gone or has become text', async () => {
    const { root, live } = await aServedShop()
    mkdirSync(join(root, 'src/art'))
    for (const path of ['src/blob.ts', 'src/art/blob.ts']) writeFileSync(join(root, path), '\0')
    for (let n = 0; n < 3; n++) await live.freshen(5_000)
    const { excluded } = live.index
    const { count } = excluded
    expect(excluded.reasons).toMatchObject({ binary: 2 })
    writeFileSync(join(root, 'src/price.ts'), 'export const changedPrice = 1\n')
    writeFileSync(join(root, 'src/photo.png'), '')
    await live.freshen(5_000)
    expect(excluded.reasons).toMatchObject({ binary: 2, unsupported: 1 })
    expect(excluded.count).toBe(count + 1)
    writeFileSync(join(root, 'src/blob.ts'), 'export const text = 1\n')
    await live.freshen(5_000)
    expect(excluded.reasons).toMatchObject({ binary: 1 })
    rmSync(join(root, 'src/art'), { recursive: true })
    await live.freshen(5_000)
    expect(excluded.reasons).not.toHaveProperty('binary')
    expect(excluded.list.map(({ path }) => path)).toContain('src/photo.png')
  })

  it('follows folders that go and come back, and rules that change', async () => {
    const { root, live } = await aServedShop()
    for (let n = 0; n < 3; n++) await live.freshen(5_000)
    const found = (query: string) => live.index.lexical.search(query).length
    for (const round of [1, 2]) {
      mkdirSync(join(root, 'extra'), { recursive: true })
      writeFileSync(join(root, 'extra/a.ts'), `export const extraThing${round} = 1\n`)
      await live.freshen(5_000)
      expect(found(`extraThing${round}`)).toBe(1)
      rmSync(join(root, 'extra'), { recursive: true })
      await live.freshen(5_000)
      expect(found(`extraThing${round}`)).toBe(0)
    }
    writeFileSync(join(root, '.portolanignore'), 'src/price.ts\n')
    await live.freshen(5_000)
    expect(live.index.files.has('src/price.ts')).toBe(false)
  })

  it('spares the walk while nothing stirs', async () => {
    const { live } = await aServedShop()
    for (let n = 0; n < 3; n++) await live.freshen(5_000)
    const before = live.index.identity.updatedAt
    await new Promise((resolve) => setTimeout(resolve, 5))
    expect(await live.freshen(5_000)).toBe(true)
    expect(live.index.identity.updatedAt).toBe(before)
  })

  it('parses in the background and saves what the parser found', async () => {
    const { live, library } = await aServedShop()
    const statusOf = () => live.index.files.get('src/cart.ts')?.parse.status
    await until(() => statusOf() !== 'pending')
    expect(statusOf()).toBe('ok')
    expect(live.index.files.get('src/cart.ts')?.symbols.map(({ name }) => name)).toEqual([
      'ShoppingCart',
      'totalPrice',
    ])
    await live.close()
    const loaded = await library.store.load('shop')
    const saved = [...(loaded?.saved.files ?? [])]
    expect(saved.find(([path]) => path === 'src/cart.ts')?.at(-1)).toEqual(['ok'])
  }, 20_000)

  it('gives the same answers after it was saved and loaded', async () => {
    const home = aFolder()
    const library = aLibrary(home)
    const { live } = await library.build(projectAt(aProject(SHOP)), 'shop', DEFAULT_SETTINGS)
    const before = live.index.lexical.search('total price')
    await library.close()
    const loaded = await aLibrary(home).get('shop')
    expect(before.length).toBeGreaterThan(1)
    expect(loaded?.index.lexical.search('total price')).toEqual(before)
  })

  it('is saved later if it could not be saved at first', async () => {
    const { root, live, library } = await aServedShop()
    const summary = join(library.store.folder, 'shop/summary.json')
    rmSync(summary)
    mkdirSync(join(summary, 'in-the-way'), { recursive: true })
    writeFileSync(join(root, 'src/new.ts'), 'export const isNew = 1\n')
    await live.refresh()
    await expect(live.save()).rejects.toThrow('could not be saved')
    expect(live.saveProblem).toContain('could not be saved')
    rmSync(summary, { recursive: true })
    await live.close()
    expect(live.saveProblem).toBeUndefined()
    expect(library.store.summary('shop')?.files).toBe(5)
  })

  it('is saved by itself once there is room again', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    onTestFinished(() => {
      vi.useRealTimers()
    })
    const { live, library } = await aServedShop()
    await live.parsed(20_000)
    await live.save()
    const summary = join(library.store.folder, 'shop/summary.json')
    rmSync(summary)
    mkdirSync(join(summary, 'in-the-way'), { recursive: true })
    live.noteEmbedding({ provider: 'ollama', model: 'other' })
    await expect(live.save()).rejects.toThrow('could not be saved')
    rmSync(summary, { recursive: true })
    vi.advanceTimersByTime(60_000)
    await vi.waitFor(() => expect(live.saveProblem).toBeUndefined(), { timeout: 20_000 })
  })

  it('is refreshed for everybody who waits, although one of them cancels', async () => {
    const { root, live } = await aServedShop(many('old'))
    aProject(many('young'), root)
    const cancel = new AbortController()
    const cancelled = live.refresh({ signal: cancel.signal, progress: () => cancel.abort() })
    const other = live.refresh()
    await expect(cancelled).rejects.toThrow(/abort/i)
    await other
    expect(youngOnes(live)).toBe(500)
  })

  it('is walked as a whole on request, also while only changed folders are walked', async () => {
    const { root, live } = await aServedShop({ ...many('old'), 'other/a.ts': 'const a = 1\n' })
    for (let n = 0; n < 3; n++) await live.freshen(60_000)
    aProject(many('young'), root)
    const some = live.freshen(60_000)
    await untilBegun(live)
    // No watcher reports this.
    live.index.drop('other/a.ts')
    await Promise.all([live.refresh(), some])
    expect(live.index.files.has('other/a.ts')).toBe(true)
  })

  it('is not called fresh while another caller still refreshes it', async () => {
    const { root, live } = await aServedShop(many('old'))
    for (let n = 0; n < 3; n++) await live.freshen(60_000)
    aProject(many('young'), root)
    const first = live.freshen(60_000)
    await untilBegun(live)
    expect(await live.freshen(60_000)).toBe(true)
    expect(youngOnes(live)).toBe(500)
    await first
  })
})
