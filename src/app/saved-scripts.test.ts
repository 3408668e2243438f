import { expect, it, onTestFinished, vi } from 'vitest'
import { tempFolder } from '../../test/support/temp-folder.ts'
import { createLog } from '../telemetry/log.ts'
import { type LibraryOptions, ScriptLibrary } from './saved-scripts.ts'

const inputSchema = { type: 'object', properties: {} }
const DRAFT = { name: 'sum_up', description: 'Sums up', inputSchema, source: '1 + 1' }

it('notices what another process saves, without looking all the time', async () => {
  const { path: home } = tempFolder()
  const applied: (readonly string[])[] = []
  const open = (onChange: LibraryOptions['onChange']) => {
    const shared = { storage: undefined, database: undefined }
    const log = createLog({ stream: { write: () => undefined } })
    const library = new ScriptLibrary({ home, shared, log, onChange })
    onTestFinished(async () => library.close())
    return library
  }
  const intervals = vi.spyOn(globalThis, 'setInterval')
  await open(async (scripts) => void applied.push(scripts.map(({ name }) => name))).loaded()
  expect(intervals.mock.calls.map(([, ms]) => ms)).toEqual([30_000])
  intervals.mockRestore()
  const other = await open(async () => undefined).store()
  await other.save(DRAFT, 'ada')
  await expect.poll(() => applied, { timeout: 20_000 }).toEqual([['sum_up']])
  await other.save({ ...DRAFT, name: 'another' }, 'ada')
  await expect.poll(() => applied.at(-1), { timeout: 20_000 }).toEqual(['another', 'sum_up'])
})

it('applies a change again that could not be applied at first', async () => {
  const applied: (readonly string[])[] = []
  const lines: string[] = []
  let isBroken = true
  const library = new ScriptLibrary({
    home: tempFolder().path,
    shared: { storage: undefined, database: undefined },
    log: createLog({ stream: { write: (line) => lines.push(line) } }),
    async onChange(scripts) {
      if (isBroken) throw new Error('not yet')
      applied.push(scripts.map(({ name }) => name))
    },
  })
  onTestFinished(async () => library.close())
  const store = await library.store()
  await store.save(DRAFT, 'ada')
  expect(lines.join('')).toContain('saved scripts cannot be read: not yet')
  isBroken = false
  await library.loaded()
  expect(applied).toEqual([['sum_up']])
})
