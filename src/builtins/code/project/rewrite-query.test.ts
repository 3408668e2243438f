import { describe, expect, it } from 'vitest'
import { startChatServer } from '../../../../test/support/chat-server.ts'
import { loadCodeConfig } from './code-config.ts'
import { rewriteQuery } from './rewrite-query.ts'

const QUERY = 'where do we take the money?'

async function rewritten(env: Record<string, string>) {
  return rewriteQuery(QUERY, loadCodeConfig([], env), env)
}

describe('rewriting a query', () => {
  it('asks nobody unless it is enabled', async () => {
    const { baseUrl, requests } = await startChatServer('payment capture')
    const env = { PORTOLAN_CODE_CONTROLLER_BASE_URL: baseUrl }
    expect(await rewritten(env)).toEqual({ isEnabled: false, query: QUERY, isChanged: false })
    expect(requests).toEqual([])
  })

  it('follows the model, with its key and settings', async () => {
    const { baseUrl, requests } = await startChatServer('"payment capture"\nBecause it is money.')
    const env = {
      PORTOLAN_CODE_CONTROLLER_ENABLED: 'true',
      PORTOLAN_CODE_CONTROLLER_PROVIDER: 'openai',
      PORTOLAN_CODE_CONTROLLER_MODEL: 'small',
      PORTOLAN_CODE_CONTROLLER_API_KEY: 'secret',
      PORTOLAN_CODE_CONTROLLER_BASE_URL: `${baseUrl}/`,
    }
    expect(await rewritten(env)).toEqual({
      isEnabled: true,
      query: 'payment capture',
      isChanged: true,
    })
    expect(requests).toMatchObject([
      {
        authorization: 'Bearer secret',
        body: {
          model: 'small',
          temperature: 0,
          max_tokens: 64,
          messages: [{}, { content: QUERY }],
        },
      },
    ])
  })

  it('finds Ollama by its address', async () => {
    const { baseUrl, requests } = await startChatServer('x')
    const env = { PORTOLAN_CODE_CONTROLLER_ENABLED: 'true', PORTOLAN_CODE_OLLAMA_URL: baseUrl }
    expect(await rewritten(env)).toMatchObject({ query: 'x' })
    expect(requests).toMatchObject([{ body: { model: 'qwen2.5:3b' } }])
  })

  it.each([
    ['says nothing', '  ', 0],
    ['talks too much', 'word '.repeat(60), 0],
    ['fails', 500, 0],
    ['is late', 'payment', 5_000],
  ])('keeps the query when the model %s', async (_, reply, delayMs) => {
    const { baseUrl } = await startChatServer(reply, delayMs)
    const env = {
      PORTOLAN_CODE_CONTROLLER_ENABLED: 'true',
      PORTOLAN_CODE_CONTROLLER_BASE_URL: baseUrl,
      PORTOLAN_CODE_CONTROLLER_TIMEOUT: '0.5',
    }
    const answer = await rewritten(env)
    expect(answer).toMatchObject({ isEnabled: true, query: QUERY, isChanged: false })
    expect(answer.problem).toBeTruthy()
  })
})
