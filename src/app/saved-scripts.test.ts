import { expect, it, onTestFinished } from 'vitest'
import { tempFolder } from '../../test/support/temp-folder.ts'
import { createLog } from '../telemetry/log.ts'
import { ScriptLibrary } from './saved-scripts.ts'

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
  const inputSchema = { type: 'object', properties: {} }
  const draft = { name: 'sum_up', description: 'Sums up', inputSchema, source: '1 + 1' }
  await store.save(draft, 'ada')
  expect(lines.join('')).toContain('saved scripts cannot be read: not yet')
  isBroken = false
  await library.loaded()
  expect(applied).toEqual([['sum_up']])
})
