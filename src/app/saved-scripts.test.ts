import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, onTestFinished, vi } from 'vitest'
import { tempFolder } from '../../test/support/temp-folder.ts'
import { createLog } from '../telemetry/log.ts'
import { type LibraryOptions, createScriptLibrary } from './saved-scripts.ts'

const inputSchema = { type: 'object', properties: {} }
const DRAFT = { name: 'sum_up', description: 'Sums up', inputSchema, source: '1 + 1' }

function open(home: string, onChange: LibraryOptions['onChange'], lines: string[] = []) {
  const shared = { storage: undefined, database: undefined }
  const log = createLog({ stream: { write: (line) => lines.push(line) } })
  const library = createScriptLibrary({ home, shared, log, onChange })
  onTestFinished(async () => library.close())
  return library
}

it('notices what another process or a person saves, without looking by itself', async () => {
  const { path: home } = tempFolder()
  const applied: string[][] = []
  const lines: string[] = []
  const intervals = vi.spyOn(globalThis, 'setInterval')
  const library = open(
    home,
    async (scripts) => void applied.push(scripts.map(({ source }) => source)),
    lines,
  )
  await library.loaded()
  expect(intervals).not.toHaveBeenCalled()
  intervals.mockRestore()
  const other = await open(home, async () => undefined).store()
  await other.save(DRAFT, 'ada')
  const newest = () => applied.at(-1)
  await expect.poll(newest, { timeout: 20_000 }).toEqual(['1 + 1'])
  await other.propose({ ...DRAFT, name: 'proposed', source: '3' }, 'bob')
  await other.save({ ...DRAFT, name: 'another' }, 'ada')
  await expect.poll(newest, { timeout: 20_000 }).toEqual(['1 + 1', '1 + 1'])
  writeFileSync(join(home, 'scripts/another.ts'), '// description: By hand\n// ---\n2 + 2')
  await expect.poll(newest, { timeout: 20_000 }).toEqual(['2 + 2', '1 + 1'])
  writeFileSync(join(home, 'scripts/another.ts'), '2 + 2')
  await expect.poll(newest, { timeout: 20_000 }).toEqual(['1 + 1'])
  expect(lines.join('')).toContain('saved script left out: another.ts')
  await other.remove('another')
  await other.remove('sum_up')
  await expect.poll(newest, { timeout: 20_000 }).toEqual([])
})

it('applies a change again that could not be applied at first', async () => {
  const applied: (readonly string[])[] = []
  const lines: string[] = []
  let isBroken = true
  const onChange: LibraryOptions['onChange'] = async (scripts) => {
    if (isBroken) throw new Error('not yet')
    applied.push(scripts.map(({ name }) => name))
  }
  const library = open(tempFolder().path, onChange, lines)
  await (await library.store()).save(DRAFT, 'ada')
  expect(lines.join('')).toContain('saved scripts cannot be read: not yet')
  isBroken = false
  await library.loaded()
  expect(applied).toEqual([['sum_up']])
})
