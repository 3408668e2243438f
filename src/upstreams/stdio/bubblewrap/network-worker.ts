/**
 * The helper of a sandbox with a list of hosts, in the network of the sandbox, which has a loopback
 * device and nothing else. It resolves each listed name to an address of that device, listens there,
 * and passes connections through a socket to the gateway, which checks the list itself.
 *
 *   network-worker <socket> <hosts as JSON> <command> [arguments…]
 */
import { spawn } from 'node:child_process'
import { createSocket } from 'node:dgram'
import { connect, createServer } from 'node:net'
import { REFUSED_HOST, toListed } from './listed-hosts.ts'

const [socket = '', list = '[]', command = '', ...args] = process.argv.slice(2)

const listed = toListed(JSON.parse(list))

const addresses = new Map<string, Promise<string>>()
const refused = new Set<string>()
const MAX_NAMES = 60_000

/** Listens at one address for one host, at the ports that are listed for it. */
async function listenFor(host: string, address: string): Promise<string> {
  const ports = listed.flatMap((entry) => (entry.matches(host) ? entry.ports : []))
  await Promise.all(
    [...new Set(ports)].map(
      async (port) =>
        new Promise<void>((resolve) => {
          const server = createServer((inside) => {
            const outside = connect(socket)
            outside.write(`${host} ${port}\n`)
            outside.on('error', () => inside.destroy()).on('close', () => inside.destroy())
            inside.on('error', () => outside.destroy()).on('close', () => outside.destroy())
            inside.pipe(outside).pipe(inside)
          })
          server.once('error', () => resolve()).listen(port, address, resolve)
        }),
    ),
  )
  return address
}

async function addressOf(host: string): Promise<string | undefined> {
  if (!listed.some(({ matches }) => matches(host)) || addresses.size > MAX_NAMES) {
    if (!refused.has(host) && refused.size < MAX_NAMES)
      process.stderr.write(`${REFUSED_HOST} ${host}\n`)
    refused.add(host)
    return undefined
  }
  const number = addresses.size + 1
  const address = addresses.get(host) ?? listenFor(host, `127.64.${number >> 8}.${number & 255}`)
  addresses.set(host, address)
  return address
}

const HEADER = 12
const [TYPE_A, ANSWER, NO_SUCH_NAME] = [1, 0x81_80, 3]

/** Answers one question for an address (RFC 1035); any other type has no answer. */
async function answerTo(query: Buffer): Promise<Buffer> {
  const labels: string[] = []
  let at = HEADER
  for (let length = query.readUInt8(at); length > 0; length = query.readUInt8(at)) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length))
    at += 1 + length
  }
  const type = query.readUInt16BE(at + 1)
  const question = query.subarray(HEADER, at + 5)
  const address = await addressOf(labels.join('.').toLowerCase())
  const hasAnswer = address !== undefined && type === TYPE_A
  const header = Buffer.alloc(HEADER)
  query.copy(header, 0, 0, 2)
  header.writeUInt16BE(ANSWER | (address === undefined ? NO_SUCH_NAME : 0), 2)
  header.writeUInt16BE(1, 4)
  header.writeUInt16BE(hasAnswer ? 1 : 0, 6)
  const record = [0xc0, HEADER, 0, TYPE_A, 0, 1, 0, 0, 0, 60, 0, 4]
  const bytes = hasAnswer ? [...record, ...address.split('.').map(Number)] : []
  return Buffer.concat([header, question, Buffer.from(bytes)])
}

const resolver = createSocket('udp4')
resolver.on('message', (query, { port, address }) => {
  answerTo(query).then(
    (answer) => resolver.send(answer, port, address),
    () => undefined,
  )
})
resolver.bind(53, '127.0.0.1', () => void start())

async function start(): Promise<void> {
  // A listed service of this machine has its usual address.
  if (listed.some(({ matches }) => matches('localhost'))) await listenFor('localhost', '127.0.0.1')
  // The program ends first, with what it has to do then.
  process.on('SIGTERM', () => undefined)
  const child = spawn(command, args, { stdio: 'inherit' })
  child.on('error', (error) => {
    process.stderr.write(`${error.message}\n`)
    process.exit(1)
  })
  child.on('exit', (code) => process.exit(code ?? 1))
}
