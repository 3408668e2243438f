import { describe, expect, it } from 'vitest'
import { type Secrets, hideSecrets } from './hide-secrets.ts'

function hidden(url: string) {
  const secrets: Secrets = new Map()
  const entry = hideSecrets('one', { url }, secrets)
  return { url: entry['url'], secrets: Object.fromEntries(secrets) }
}

const KEY = 'a1b2c3d4e5f6a1b2c3d4e5f6a1'

describe('an address', () => {
  it.each([
    ['https://me:pä$$wörd"@h.example/', 'https://me:${ONE_PASSWORD}@h.example/', 'pä$$wörd"'],
    ['https://me:p%40ss@h.example', 'https://me:${ONE_PASSWORD}@h.example', 'p%40ss'],
    ['https://me:p@ss@h.example', 'https://me:${ONE_PASSWORD}@h.example', 'p@ss'],
    ['https://me:me@h.example', 'https://me:${ONE_PASSWORD}@h.example', 'me'],
    ['HTTPS://to ken@h.example', 'HTTPS://${ONE_TOKEN}@h.example', 'to ken'],
    [`https://h.example/ä/${KEY}/mcp`, 'https://h.example/ä/${ONE_KEY}/mcp', KEY],
    ['https://h.example/?a token=ä b#top', 'https://h.example/?a token=${ONE_A_TOKEN}#top', 'ä b'],
  ])('keeps no secret, however it is written: %s', (url, clean, secret) => {
    const found = hidden(url)
    expect(found.url).toBe(clean)
    expect(Object.values(found.secrets)).toEqual([secret])
  })

  it('keeps no second value of one name in its query', () => {
    expect(hidden('https://h.example/?token=one&token=two')).toEqual({
      url: 'https://h.example/?token=${ONE_TOKEN}&token=${ONE_TOKEN_2}',
      secrets: { ONE_TOKEN: 'one', ONE_TOKEN_2: 'two' },
    })
  })

  it('is a secret itself if it has a password but cannot be read', () => {
    const url = 'https://me:pa/ss@h.example/'
    expect(hidden(url)).toEqual({ url: '${ONE_URL}', secrets: { ONE_URL: url } })
  })

  it('stays as it is without a secret', () => {
    for (const url of ['https://h.example/a/b?page=2#x', 'not an address', 'https://@h.example'])
      expect(hidden(url)).toEqual({ url, secrets: {} })
  })
})
