import { createHash } from 'node:crypto'

/** What Redis runs as one step: nobody else's command comes in between. */
export interface Script {
  readonly lua: string
  readonly sha: string
}

export function defineScript(lua: string): Script {
  return { lua, sha: createHash('sha1').update(lua).digest('hex') }
}
