import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import {
  CreateMessageRequestSchema,
  ElicitRequestSchema,
  ListRootsRequestSchema,
  ResultSchema,
} from '@modelcontextprotocol/sdk/types.js'
import { ANSWERS, CAPABILITIES, CLIENT_INFO, type Heard, type Session } from './session.ts'

/** A client made with version 1 of the official SDK. */
export async function openSdkV1(transport: Transport): Promise<Session> {
  const client = new Client(CLIENT_INFO, { capabilities: CAPABILITIES })
  const heard: Heard[] = []
  client.setRequestHandler(ListRootsRequestSchema, () => ANSWERS['roots/list'])
  client.setRequestHandler(CreateMessageRequestSchema, () => ANSWERS['sampling/createMessage'])
  client.setRequestHandler(ElicitRequestSchema, () => ANSWERS['elicitation/create'])
  client.fallbackNotificationHandler = async ({ method, params }) => {
    heard.push({ method, params: { ...params } })
  }
  await client.connect(transport)
  return {
    era: 'legacy',
    heard,
    request: async (method, params = {}, { signal, onProgress } = {}) =>
      client.request({ method, params }, ResultSchema, {
        ...(signal && { signal }),
        ...(onProgress && { onprogress: (progress) => onProgress({ ...progress }) }),
      }),
    async subscribe(uris) {
      for (const uri of uris) await client.subscribeResource({ uri })
    },
    close: async () => client.close(),
  }
}
