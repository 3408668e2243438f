import { type Db, type Engine } from './storage.ts'
import { sql } from 'kysely'

/** The one channel of this product; a notice on it reads `topic:detail`. */
export const CHANNEL = 'portolan'

/** Something that other replicas have in memory has changed; `hello` only tests whether notices arrive. */
export type Topic = 'keys' | 'config' | 'secrets' | 'sign-ins' | 'scripts' | 'names' | 'hello'

/** Notifies every replica once the transaction is committed; an embedded database has none. */
export async function notify(db: Db, engine: Engine, topic: Topic, detail: string): Promise<void> {
  if (engine === 'postgres')
    await sql`select pg_notify(${CHANNEL}, ${`${topic}:${detail}`})`.execute(db)
}
