import { createHash } from 'node:crypto'

/** A Lua script, which Redis runs atomically. */
export interface Script {
  readonly lua: string
  readonly sha: string
}

export function defineScript(lua: string): Script {
  return { lua, sha: createHash('sha1').update(lua).digest('hex') }
}
