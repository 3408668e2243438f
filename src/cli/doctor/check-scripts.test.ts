import { expect, it } from 'vitest'
import { settingsSchema } from '../../config/settings/settings.ts'
import { checkScripts } from './check-scripts.ts'

const { scripts } = settingsSchema.parse({})

it('says whether a script runs on this machine', async () => {
  expect(await checkScripts({ scripts })).toEqual({
    area: 'scripts',
    status: 'ok',
    message: expect.stringMatching(/^a script ran, in \d+\.\d MB of memory$/),
  })
})

it('says why none runs, and what to do', async () => {
  // No engine starts in a page of memory; a limit of virtual memory fails in the same way.
  expect(await checkScripts({ scripts: { ...scripts, heapBytes: 49_152 } })).toMatchObject({
    status: 'fail',
    message: expect.stringMatching(/^scripts cannot run: .*memory/i),
    fix: expect.stringContaining('ulimit -v'),
  })
})

it('starts nothing where scripts are switched off', async () => {
  const finding = await checkScripts({ scripts: { ...scripts, enabled: false } })
  expect(finding).toMatchObject({ status: 'ok', message: 'switched off' })
})
