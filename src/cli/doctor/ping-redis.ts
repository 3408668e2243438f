import { connect as connectPlain } from 'node:net'
import { connect as connectTls } from 'node:tls'

/** Says PING to a Redis server, after AUTH where the URL holds a password; throws what it answers instead. */
export async function pingRedis(address: string, timeoutMs: number): Promise<void> {
  const url = new URL(address)
  if (!/^rediss?:$/.test(url.protocol)) throw new Error('it must start with redis:// or rediss://')
  const host = url.hostname.replaceAll(/^\[|\]$/g, '')
  const port = Number(url.port || 6379)
  const words = [decodeURIComponent(url.username), decodeURIComponent(url.password)]
  const credentials = words.filter((word) => word !== '')
  const commands = [...(credentials.length > 0 ? [['AUTH', ...credentials]] : []), ['PING']]
  const socket =
    url.protocol === 'rediss:'
      ? connectTls({ host, port, servername: host })
      : connectPlain({ host, port })
  const answered = new Promise<void>((resolve, reject) => {
    let said = ''
    socket.setTimeout(timeoutMs, () => reject(new Error(`no answer within ${timeoutMs / 1000} s`)))
    socket.once('error', reject)
    socket.once('close', () => reject(new Error('it closed the connection')))
    socket.on('data', (chunk) => {
      said += chunk.toString()
      const failure = /^-(.*)\r\n/m.exec(said)?.[1]
      if (failure !== undefined) reject(new Error(failure))
      else if (said.includes('+PONG\r\n')) resolve()
    })
  })
  socket.write(commands.map(toFrame).join(''))
  await answered.finally(() => socket.destroy())
}

function toFrame(words: readonly string[]): string {
  const parts = words.map((word) => `$${Buffer.byteLength(word)}\r\n${word}\r\n`)
  return `*${words.length}\r\n${parts.join('')}`
}
