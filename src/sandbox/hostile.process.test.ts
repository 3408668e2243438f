import { afterAll, expect, it } from 'vitest'
import { HOSTILE_SCRIPTS } from '../../test/support/hostile-scripts.ts'
import { HostileSandbox } from '../../test/support/hostile-sandbox.ts'

const sandbox = new HostileSandbox()
afterAll(async () => sandbox.close())

const reaching = HOSTILE_SCRIPTS.filter(({ ends }) => ends !== undefined)
/** Some of each other kind: `npm run attack` runs them all. */
const EVERY = 9
const greedy = HOSTILE_SCRIPTS.filter(({ ends }) => ends === undefined)
const some = greedy.filter((_, index) => index % EVERY === 0)

it.each([...reaching, ...some])('holds against $name', { timeout: 60_000 }, async (script) => {
  expect(await sandbox.attempt(script)).toMatchObject({
    escaped: false,
    ...(script.ends !== undefined && { end: script.ends }),
  })
})
