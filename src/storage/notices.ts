import { type Db, type Engine } from './storage.ts'
import { sql } from 'kysely'

/** The one channel of this product; a notice on it reads `topic:detail`. */
export const CHANNEL = 'portolan'

/** Something that other replicas have in memory has changed; `hello` is only to hear whether it is heard. */
export type Topic = 'keys' | 'config' | 'secrets' | 'sign-ins' | 'scripts' | 'hello'

/** Tells every replica, once the transaction is committed. Embedded, there is nobody to tell. */
export async function notify(db: Db, engine: Engine, topic: Topic, detail: string): Promise<void> {
  if (engine === 'postgres')
    await sql`select pg_notify(${CHANNEL}, ${`${topic}:${detail}`})`.execute(db)
}
