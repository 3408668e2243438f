import type { Client } from '../gateway/call.ts'
import type { JsonObject } from '../base/json/json.ts'
import { metaOf } from '../protocol/versions.ts'

/** Returns a callback that passes on progress under the asker's token, at once and in order. */
export function progressTo(asker: Pick<Client, 'notify'> | undefined, params: JsonObject) {
  const token = metaOf(params)['progressToken']
  if (token === undefined || !asker) return undefined
  return (update: JsonObject) =>
    asker.notify('notifications/progress', { ...update, progressToken: token })
}
