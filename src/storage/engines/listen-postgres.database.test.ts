import { Client } from 'pg'
import { expect, inject, it, onTestFinished } from 'vitest'
import { createDatabase } from '../../../test/support/postgres.ts'
import { listenPostgres } from './listen-postgres.ts'

it('takes a connection that is lost before its first notice for a lost one, not for a pool', async () => {
  const url = await createDatabase(inject('postgresUrl'))
  const admin = new Client({ connectionString: url })
  await admin.connect()
  let sent = 0
  /** Ends the listening connection in place of the first notice. */
  async function send(topic: string, detail: string): Promise<void> {
    sent += 1
    await (sent === 1
      ? admin.query(
          'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
        )
      : admin.query('select pg_notify($1, $2)', ['portolan', `${topic}:${detail}`]))
  }
  const listening = listenPostgres(url, send)
  onTestFinished(async () => {
    await listening.close()
    await admin.end()
  })
  const seen = new Set<string>()
  await expect
    .poll(() => {
      seen.add(listening.state.kind)
      return sent
    })
    .toBeGreaterThan(1)
  expect(seen).not.toContain('no_notices')
})
