import { Client, type StandardSchemaV1, type Transport } from '@modelcontextprotocol/client'
import type { JsonObject } from '../../../src/base/json/json.ts'
import { ANSWERS, CAPABILITIES, CLIENT_INFO, type Heard, type Session } from './session.ts'

/** Accepts any value, because the suite checks it itself. */
const ANYTHING: StandardSchemaV1<unknown, JsonObject> = {
  '~standard': {
    version: 1,
    vendor: 'suite',
    validate: (value) => ({ value: Object(value) }),
  },
}

/** A client made with version 2 of the official SDK, in either era. */
export async function openSdkV2(era: 'legacy' | 'modern', transport: Transport): Promise<Session> {
  const client = new Client(CLIENT_INFO, {
    capabilities: CAPABILITIES,
    versionNegotiation: { mode: era === 'legacy' ? 'legacy' : { pin: '2026-07-28' } },
  })
  const heard: Heard[] = []
  client.setRequestHandler('roots/list', () => ANSWERS['roots/list'])
  client.setRequestHandler('sampling/createMessage', () => ANSWERS['sampling/createMessage'])
  client.setRequestHandler('elicitation/create', () => ANSWERS['elicitation/create'])
  client.fallbackNotificationHandler = async ({ method, params }) => {
    heard.push({ method, params: { ...params } })
  }
  await client.connect(transport)
  return {
    era,
    heard,
    request: async (method, params = {}, { signal, onProgress } = {}) =>
      client.request({ method, params }, ANYTHING, {
        ...(signal && { signal }),
        ...(onProgress && { onprogress: (progress) => onProgress({ ...progress }) }),
      }),
    async subscribe(uris) {
      if (era === 'modern')
        await client.listen({ toolsListChanged: true, resourceSubscriptions: [...uris] })
      else for (const uri of uris) await client.subscribeResource({ uri })
    },
    close: async () => client.close(),
  }
}
