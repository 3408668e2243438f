import type { JsonObject } from '../../../base/json/json.ts'
import type { LoadOptions } from '../../../config/load.ts'
import { openApp } from '../open-app.ts'
import { createShellClient } from '../shell-client.ts'
import type { Question } from './ask.ts'

/** Starts a gateway for this one request, and returns its answer. */
export async function askOwn(
  load: LoadOptions,
  { method, params, agent, client, key }: Question,
): Promise<JsonObject> {
  const app = await openApp(load, { level: 'error' })
  try {
    await app.listUnlisted()
    return await app.backend.handle({
      method,
      params,
      caller: {
        transport: 'stdio',
        credential: key,
        claimedAgent: agent,
      },
      client: createShellClient({ backend: app.backend, name: client }),
      signal: new AbortController().signal,
      surface: undefined,
    })
  } finally {
    await app.close()
  }
}
