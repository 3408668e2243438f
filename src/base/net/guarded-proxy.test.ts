import { afterEach, expect, it, vi } from 'vitest'
import { GuardedHttp } from './guarded-http.ts'

async function resolve(host: string) {
  if (host !== 'inside.example') throw new Error(`getaddrinfo ENOTFOUND ${host}`)
  return [{ address: '10.0.0.5' }]
}

afterEach(() => vi.unstubAllEnvs())

it('refuses a name of a private address, and leaves unknown names to the proxy', async () => {
  // Nothing listens there.
  vi.stubEnv('HTTP_PROXY', 'http://127.0.0.1:1')
  vi.stubEnv('NO_PROXY', '')
  const http = new GuardedHttp({
    resolve,
    tooLarge: () => new Error('too large'),
    refused: (host, is) => new Error(`refused ${host}: ${is}`),
  })
  const get = async (url: string, allowPrivate = false) =>
    http.send({
      method: 'GET',
      url: new URL(url),
      signal: AbortSignal.timeout(20_000),
      allowPrivate,
      maxBytes: 1_000,
    })
  await expect(get('http://inside.example/')).rejects.toThrow(
    'refused inside.example: the private address 10.0.0.5',
  )
  await expect(get('http://10.0.0.5/')).rejects.toThrow('refused 10.0.0.5')
  const unreachableProxy = expect.objectContaining({ code: 'ECONNREFUSED' })
  await expect(get('http://outside.example/')).rejects.toEqual(unreachableProxy)
  await expect(get('http://inside.example/', true)).rejects.toEqual(unreachableProxy)
  for (const host of ['localhost.', 'metadata.google.internal', 'printer.local', 'intranet'])
    await expect(get(`http://${host}/`)).rejects.toThrow(
      `refused ${host}: a name for private addresses`,
    )
  await expect(get('http://metadata.google.internal/', true)).rejects.toEqual(unreachableProxy)
  await http.close()
})
