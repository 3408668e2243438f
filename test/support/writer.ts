import { writeSync } from 'node:fs'
import { openStorage } from '../../src/storage/open-storage.ts'
import { nextRevision } from '../../src/storage/revisions.ts'

const { HOME_FOLDER: home = '', PORTOLAN_DATABASE_URL: databaseUrl } = process.env
const storage = await openStorage({ home, databaseUrl })
for (let index = 0; index < Number(process.argv[2]); index += 1) {
  const name = `${process.pid}-${index}`
  await storage.transaction(async (tx) => {
    await tx.insertInto('tags').values({ name, created_at: Date.now() }).execute()
    await nextRevision(tx, 'tags')
  })
  writeSync(1, `${name}\n`)
}
await storage.close()
