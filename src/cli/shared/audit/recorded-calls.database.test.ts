import { expect, inject, it, onTestFinished, vi } from 'vitest'
import { createDatabase } from '../../../../test/support/postgres.ts'
import { parseSettings } from '../../../config/settings/parse-settings.ts'
import { openDatabase } from '../../../replicas/database/open-database.ts'
import { recordedCalls } from './recorded-calls.ts'

it('reads the record of all replicas, page by page, where they share a database', async () => {
  const url = await createDatabase(inject('postgresUrl'))
  const database = await openDatabase(url, {})
  onTestFinished(async () => database.close())
  const index = database.auditIndex()
  const startedAt = Date.now()
  for (let n = 0; n < 2_500; n++)
    index.record({ id: `${n}`, startedAt, operation: 'x', agent: `a${n}`, decision: 'ALLOW' })
  index.record({ id: 'old', startedAt: startedAt - 5_000_000, operation: 'x', decision: 'ALLOW' })
  await index.close()

  vi.stubEnv('PORTOLAN_DATABASE_URL', url)
  onTestFinished(() => void vi.unstubAllEnvs())
  const place = { cwd: '/', env: {} }
  const { settings } = parseSettings({ files: [], place })
  if (!settings) throw new Error('The defaults are good')
  const agents = new Set<string | null>()
  const range = { from: startedAt - 60_000, to: Infinity }
  const { source } = await recordedCalls(settings, range, (line) => agents.add(line.agent_id))
  expect(source).toBe('the database')
  expect(agents.size).toBe(2_500)
})
