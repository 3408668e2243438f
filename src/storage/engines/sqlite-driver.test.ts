import { setTimeout as sleep } from 'node:timers/promises'
import Database from 'libsql'
import { expect, it } from 'vitest'
import { tempFolder } from '../../../test/support/temp-folder.ts'
import { SqliteConnection } from './sqlite-connection.ts'
import { SqliteDriver } from './sqlite-driver.ts'

it('gives the next writer its turn even if a rollback fails', async () => {
  const file = tempFolder().file('test.db')
  const opened: SqliteConnection[] = []
  const driver = new SqliteDriver(() => {
    const connection = new SqliteConnection(new Database(file), () => undefined)
    opened.push(connection)
    return connection
  })
  const [writer] = opened
  const session = await driver.acquireConnection()
  await driver.beginTransaction(session, {})
  Object.assign(writer ?? {}, {
    rollback() {
      throw new Error('disk I/O error')
    },
  })
  await expect(driver.rollbackTransaction(session)).rejects.toThrow('disk I/O error')

  const next = driver.beginTransaction(await driver.acquireConnection(), {})
  const answered = next.then(
    () => 'answered',
    () => 'answered',
  )
  expect(await Promise.race([answered, sleep(5_000, 'waits for ever')])).toBe('answered')
})
