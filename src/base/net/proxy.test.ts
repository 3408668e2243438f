import { expect, it } from 'vitest'
import { createAgent, proxiesFrom } from './proxy.ts'

const DIRECT = 'localhost,127.0.0.1,[::1]'

it('reads the proxies of the environment, in capitals or not', () => {
  expect(proxiesFrom({})).toBeUndefined()
  expect(proxiesFrom({ HTTPS_PROXY: ' ', NO_PROXY: 'a.example' })).toBeUndefined()
  expect(proxiesFrom({ HTTPS_PROXY: 'http://p:1', https_proxy: 'http://q:2' })).toEqual({
    httpProxy: '',
    httpsProxy: 'http://q:2',
    noProxy: `,${DIRECT}`,
  })
  expect(proxiesFrom({ HTTP_PROXY: 'p:1', ALL_PROXY: 'socks5://s:3', no_proxy: 'a, b' })).toEqual({
    httpProxy: 'http://p:1',
    httpsProxy: 'socks5://s:3',
    noProxy: `a, b,${DIRECT}`,
  })
})

it('uses none if all hosts are exempt', () => {
  expect(proxiesFrom({ HTTPS_PROXY: 'http://p:1', NO_PROXY: '*' })).toBeUndefined()
})

it('says which variables are wrong', async () => {
  const undici = await import('undici')
  const create = (proxy: string) => createAgent(undici, {}, { HTTPS_PROXY: proxy })
  expect(() => create('http://:port')).toThrow(/in HTTPS_PROXY, HTTP_PROXY or ALL_PROXY cannot/)
  expect(() => create('http://me:100%@p:1')).toThrow(/cannot be used/)
})
