import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { cliReference } from '../scripts/cli-reference.ts'
import { clientsReference } from '../scripts/clients-reference.ts'
import { configReference } from '../scripts/config-reference.ts'
import { configSchemas } from '../scripts/config-schemas.ts'
import { errorsReference } from '../scripts/errors-reference.ts'
import { metricsReference } from '../scripts/metrics-reference.ts'
import { toolsReference } from '../scripts/tools-reference.ts'
import { leaves } from '../src/config/settings/schema-tree.ts'
import { settingsSchema } from '../src/config/settings/settings.ts'
import { z } from 'zod'

const read = (path: string) => readFileSync(new URL(`../${path}`, import.meta.url), 'utf8')

describe('what is generated is up to date (npm run schemas)', () => {
  it.each(Object.entries(configSchemas()))('schemas/%s', (name, schema) => {
    expect(JSON.parse(read(`assets/schemas/${name}`))).toEqual(JSON.parse(JSON.stringify(schema)))
  })

  it('docs/reference/config.md', () => {
    expect(squeezed(read('docs/reference/config.md'))).toBe(squeezed(configReference()))
  })

  it('docs/reference/cli.md', async () => {
    expect(squeezed(read('docs/reference/cli.md'))).toBe(squeezed(await cliReference()))
  })

  it('docs/reference/clients.md', () => {
    expect(squeezed(read('docs/reference/clients.md'))).toBe(squeezed(clientsReference()))
  })

  it('docs/reference/errors.md', () => {
    expect(squeezed(read('docs/reference/errors.md'))).toBe(squeezed(errorsReference()))
  })

  it('docs/reference/metrics.md', async () => {
    expect(squeezed(read('docs/reference/metrics.md'))).toBe(squeezed(await metricsReference()))
  })

  it('docs/reference/tools.md', async () => {
    expect(squeezed(read('docs/reference/tools.md'))).toBe(squeezed(await toolsReference()))
  })
})

it('every setting says what it is for', () => {
  const silent = leaves(settingsSchema).filter(
    ({ schema }) => !z.globalRegistry.get(schema)?.description,
  )
  expect(silent.map(({ path }) => path.join('.'))).toEqual([])
})

/** The formatter aligns tables; only their words count. */
function squeezed(text: string): string {
  return text.replaceAll(/-{3,}/g, '---').replaceAll(/ +/g, ' ')
}
