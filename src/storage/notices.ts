import { type Db, type Engine } from './storage.ts'
import { sql } from 'kysely'

/** The channel of all Portolan notices; a notice has the form `topic:detail`. */
export const CHANNEL = 'portolan'

/** What has changed and replicas keep in memory; `hello` only tests whether notices arrive. */
export type Topic = 'keys' | 'config' | 'secrets' | 'sign-ins' | 'scripts' | 'hello'

/** Notifies every replica when the transaction commits; an embedded database has no replicas. */
export async function notify(db: Db, engine: Engine, topic: Topic, detail: string): Promise<void> {
  if (engine === 'postgres')
    await sql`select pg_notify(${CHANNEL}, ${`${topic}:${detail}`})`.execute(db)
}
